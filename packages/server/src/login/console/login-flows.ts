import { AppError, createLruCache, newSecret } from '@countersign/core'
import type { Clock } from '../../platform/clock.ts'
import type { Sealing } from '../../platform/keys/sealing.ts'

/** A login in progress: the browser was redirected to the identity provider and has not returned. */
export interface LoginFlow {
  readonly signerId: string
  /** The signer's revision at the start: the flow is refused when the signer changes, since its provider may be another one. */
  readonly revision: number
  readonly nonce: string
  readonly verifier: string
  readonly redirectUri: string
  /** The console page to show after the login. */
  readonly next: string
  /** The session that needs the provider's token as second factor; undefined to start a new session. */
  readonly sessionToken?: string | undefined
  /** The session that the new one replaces. */
  readonly replaces?: string | undefined
  /** Whether it repeats a login that was too weak or too old. */
  readonly isStepUp?: boolean
}

export const FLOW_SECONDS = 600
const USE = 'console-login'
const MAX_USED = 10_000

interface SealedFlow {
  readonly state: string
  readonly endsAt: number
  readonly flow: LoginFlow
}

interface LoginFlowsParts {
  readonly clock: Clock
  readonly sealing: Sealing
}

/**
 * Logins in progress, each sealed in a cookie of its browser: abandoned flows take no memory, and every process and node can finish a flow.
 * The provider ensures that a code is redeemed once; each process also remembers the flows that it has finished.
 */
export class LoginFlows {
  readonly #parts: LoginFlowsParts
  readonly #used = createLruCache<string, true>(MAX_USED)

  constructor(parts: LoginFlowsParts) {
    this.#parts = parts
  }

  /** Returns the `state` of a new flow, and the value of the cookie that holds it. */
  begin(flow: LoginFlow): { readonly state: string; readonly cookie: string } {
    const { clock, sealing } = this.#parts
    const state = newSecret()
    const sealed: SealedFlow = { state, endsAt: clock.now() + FLOW_SECONDS * 1000, flow }
    return { state, cookie: sealing.seal(JSON.stringify(sealed), USE) }
  }

  /** Returns the flow once, within ten minutes, and only to the browser that began it. */
  take(state: string, cookie: string | undefined): LoginFlow | undefined {
    const sealed = cookie === undefined ? undefined : this.#open(cookie)
    if (!sealed || sealed.state !== state || sealed.endsAt <= this.#parts.clock.now() || this.#used.get(state)) {
      return undefined
    }
    this.#used.set(state, true)
    return sealed.flow
  }

  #open(cookie: string): SealedFlow | undefined {
    try {
      return JSON.parse(this.#parts.sealing.open(cookie, USE)) as SealedFlow
    } catch (error) {
      if (error instanceof AppError) return undefined
      throw error
    }
  }
}
