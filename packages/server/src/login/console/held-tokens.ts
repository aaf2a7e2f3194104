import type { IncomingHttpHeaders } from 'node:http'
import { AppError, findCookie } from '@countersign/core'
import type { Sealing } from '../../platform/keys/sealing.ts'

/**
 * Cookies that hold a browser's second-factor token, sealed for its session and split into pieces. Enough for the longest accepted token.
 */
export const HELD_COOKIES = [
  '__Host-countersign-second',
  '__Host-countersign-second-2',
  '__Host-countersign-second-3',
  '__Host-countersign-second-4',
  '__Host-countersign-second-5',
] as const

/** A cookie and its value; '' removes it. */
export type HeldPiece = readonly [name: (typeof HELD_COOKIES)[number], value: string]

/** Browsers limit a cookie with its name and attributes to 4096 bytes. */
const MAX_PIECE_LENGTH = 3_900

const NONE: readonly string[] = []
const useOf = (sessionId: string): string => `console-second ${sessionId}`

/** Holds second factors in HttpOnly cookies: console scripts must not see tokens, so they cannot send one in a header. */
export class HeldTokens {
  readonly #sealing: Sealing

  constructor(sealing: Sealing) {
    this.#sealing = sealing
  }

  /** Returns the token that the cookies hold for this session, if any. It is verified on every call, like a token in a header. */
  of(sessionId: string, { cookie = '' }: IncomingHttpHeaders): readonly string[] {
    const sealed = findSealed(cookie)
    if (sealed === undefined) return NONE
    try {
      return [this.#sealing.open(sealed, useOf(sessionId))]
    } catch (error) {
      // Sealed for another session, incomplete, or sealed with another key.
      if (error instanceof AppError) return NONE
      throw error
    }
  }

  /** Returns the cookies that hold the token for this session and replace an older one. Undefined when the token is too long. */
  hold(sessionId: string, token: string): readonly HeldPiece[] | undefined {
    const sealed = this.#sealing.seal(token, useOf(sessionId))
    if (sealed.length > HELD_COOKIES.length * MAX_PIECE_LENGTH) return undefined
    return HELD_COOKIES.map((name, at) => [name, sealed.slice(at * MAX_PIECE_LENGTH, (at + 1) * MAX_PIECE_LENGTH)])
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
