import { AppError, findCookie } from '@countersign/core'
import { HELD_COOKIES } from '../../login/console/held-tokens.ts'
import { endOwnSession } from '../../operations/api-session/end-session.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Sealing } from '../../platform/keys/sealing.ts'
import type { LiveSession, LiveSessions } from '../../session/live-sessions.ts'
import type { Store } from '../../store/store.ts'
import type { Call } from '../pipeline/call.ts'
import { operationMeta } from '../pipeline/operation-meta.ts'
import { buildCookie, clearCookie, SESSION_COOKIE } from '../pipeline/session-cookie.ts'

/**
 * The session token again, sealed. Browsers send it with navigations from other sites as well, to which they do not add the session cookie. It is
 * no credential: it only shows that a session would be replaced.
 */
const CURRENT_COOKIE = '__Host-countersign-current'
const USE = 'console-current'

export interface BrowserSessionParts {
  readonly store: Pick<Store, 'run'>
  readonly clock: Clock
  readonly sealing: Sealing
  readonly sessions: Pick<LiveSessions, 'peek'>
}

type BrowserCall = Pick<Call, 'untrustedHead' | 'source'>

/** The session of a browser that uses the console: there is at most one, and a new one ends it. */
export class BrowserSessions {
  readonly #parts: BrowserSessionParts

  constructor(parts: BrowserSessionParts) {
    this.#parts = parts
  }

  /** Whether the browser has a live session, also when another site started the request. */
  async hasLive(call: BrowserCall): Promise<boolean> {
    return (await this.#findLive(this.#tokensOf(call))).length > 0
  }

  /** Returns the cookies of a new session, and ends the one that it replaces. `replaced` is the token of a further one. */
  async replace(call: BrowserCall, token: string, replaced?: string): Promise<string[]> {
    await this.#end(call, [...this.#tokensOf(call), ...(replaced === undefined ? [] : [replaced])])
    const { sealing } = this.#parts
    const marker = buildCookie(CURRENT_COOKIE, sealing.seal(token, USE), { sameSite: 'Lax' })
    return [buildCookie(SESSION_COOKIE, token), marker]
  }

  /** Ends the browser's session, and returns the cookies that clear its own. */
  async end(call: BrowserCall): Promise<string[]> {
    await this.#end(call, this.#tokensOf(call))
    return ([SESSION_COOKIE, ...HELD_COOKIES, CURRENT_COOKIE] as const).map(clearCookie)
  }

  #tokensOf({ untrustedHead }: BrowserCall): string[] {
    const { cookie = '' } = untrustedHead.headers
    const sealed = findCookie(cookie, CURRENT_COOKIE)
    return [findCookie(cookie, SESSION_COOKIE), sealed && this.#open(sealed)].filter((token) => token !== undefined)
  }

  /** Undefined when the cookie was sealed with another key. */
  #open(sealed: string): string | undefined {
    try {
      return this.#parts.sealing.open(sealed, USE)
    } catch (error) {
      if (error instanceof AppError) return undefined
      throw error
    }
  }

  async #findLive(tokens: readonly string[]): Promise<LiveSession[]> {
    const found = await Promise.all([...new Set(tokens)].map((token) => this.#parts.sessions.peek(token)))
    return found.filter((session) => session !== undefined)
  }

  async #end({ source }: BrowserCall, tokens: readonly string[]): Promise<void> {
    const { store, clock } = this.#parts
    for (const session of await this.#findLive(tokens)) {
      await store.run(endOwnSession, { id: session.id }, operationMeta({ session, source }, clock.now()))
    }
  }
}
