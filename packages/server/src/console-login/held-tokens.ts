import type { IncomingHttpHeaders } from 'node:http'
import { AppError, findCookie } from '@countersign/core'
import type { Sealing } from '../keys/sealing.ts'

/** Holds the provider's token that a browser got as second factor, sealed for its session. */
export const SECOND_COOKIE = '__Host-countersign-second'

/** Browsers keep 4096 bytes for a cookie with its name and attributes. */
const MAX_SEALED_LENGTH = 3_900

/** A browser cannot send a second token with its calls, since no script of the console may hold one. It sends this cookie instead. */
export interface HeldTokens {
  /** The tokens that count as sent along with a session in a cookie. They are judged on every call, as those that are sent. */
  of(sessionId: string, headers: IncomingHttpHeaders): readonly string[]
  /** The value of the cookie that holds a token for a session; undefined when it is too long for one. */
  hold(sessionId: string, token: string): string | undefined
}

const NONE: readonly string[] = []
const useOf = (sessionId: string): string => `console-second ${sessionId}`

export function createHeldTokens(sealing: Sealing): HeldTokens {
  return {
    of: (sessionId, { cookie = '' }) => {
      const sealed = findCookie(cookie, SECOND_COOKIE)
      if (sealed === undefined) return NONE
      try {
        return [sealing.open(sealed, useOf(sessionId))]
      } catch (error) {
        // Of another session, or not ours at all.
        if (error instanceof AppError) return NONE
        throw error
      }
    },
    hold: (sessionId, token) => {
      const sealed = sealing.seal(token, useOf(sessionId))
      return sealed.length > MAX_SEALED_LENGTH ? undefined : sealed
    },
  }
}
