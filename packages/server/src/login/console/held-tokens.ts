import type { IncomingHttpHeaders } from 'node:http'
import { AppError, findCookie } from '@countersign/core'
import type { Sealing } from '../../platform/keys/sealing.ts'

/**
 * Hold the provider's token that a browser got as second factor, sealed for its session and cut into as many pieces as it needs: these are
 * enough for every token that is taken at all.
 */
export const HELD_COOKIES = [
  '__Host-countersign-second',
  '__Host-countersign-second-2',
  '__Host-countersign-second-3',
  '__Host-countersign-second-4',
  '__Host-countersign-second-5',
] as const

/** A cookie and what it holds; '' takes it away. */
export type HeldPiece = readonly [name: (typeof HELD_COOKIES)[number], value: string]

/** Browsers keep 4096 bytes for a cookie with its name and attributes. */
const MAX_PIECE_LENGTH = 3_900

/** A browser cannot send a second token with its calls, since no script of the console may hold one. It sends these cookies instead. */
export interface HeldTokens {
  /** The tokens that count as sent along with a session in a cookie. They are judged on every call, as those that are sent. */
  of(sessionId: string, headers: IncomingHttpHeaders): readonly string[]
  /** What the cookies hold so that they hold a token for a session, and nothing of an older one; undefined when it is too long for them. */
  hold(sessionId: string, token: string): readonly HeldPiece[] | undefined
}

const NONE: readonly string[] = []
const useOf = (sessionId: string): string => `console-second ${sessionId}`

export function createHeldTokens(sealing: Sealing): HeldTokens {
  return {
    of: (sessionId, { cookie = '' }) => {
      const sealed = findSealed(cookie)
      if (sealed === undefined) return NONE
      try {
        return [sealing.open(sealed, useOf(sessionId))]
      } catch (error) {
        // Of another session, with a piece missing, or not ours at all.
        if (error instanceof AppError) return NONE
        throw error
      }
    },
    hold: (sessionId, token) => {
      const sealed = sealing.seal(token, useOf(sessionId))
      if (sealed.length > HELD_COOKIES.length * MAX_PIECE_LENGTH) return undefined
      return HELD_COOKIES.map((name, at) => [name, sealed.slice(at * MAX_PIECE_LENGTH, (at + 1) * MAX_PIECE_LENGTH)])
    },
  }
}

function findSealed(cookie: string): string | undefined {
  const [first] = HELD_COOKIES
  if (!cookie.includes(first)) return undefined
  let sealed = ''
  for (const name of HELD_COOKIES) {
    const piece = findCookie(cookie, name)
    if (piece === undefined) break
    sealed += piece
  }
  return sealed || undefined
}
