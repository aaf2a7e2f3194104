import type { IncomingHttpHeaders } from 'node:http'
import { AppError, findCookie } from '@countersign/core'

/** Holds the session of a browser that shows the console. No script can read it, and no other host can set it. */
export const SESSION_COOKIE = '__Host-countersign'

/** What is known of a call beside its path: its headers, and the host by which this controller was reached. */
export interface CallHead {
  readonly headers: IncomingHttpHeaders
  readonly host: string
}

/**
 * The session token of the console's cookie; '' when there is none, or when the call brings another credential, which then counts alone.
 * @throws {AppError} FORBIDDEN when the call does not come from a page of this controller
 */
export function cookieSessionToken(call: CallHead): string {
  const { headers } = call
  if (headers.cookie === undefined || headers.authorization !== undefined || headers['zt-session'] !== undefined)
    return ''
  const token = findCookie(headers.cookie, SESSION_COOKIE)
  if (token === undefined) return ''
  checkOwnPage(call)
  return token
}

/** Whether a page of this controller, and no other, makes the call: browsers send cookies with what other pages ask for too. */
export function isOwnPage({ headers, host }: CallHead): boolean {
  const { 'sec-fetch-site': site, origin } = headers
  const isOwn = origin === undefined ? site !== undefined : origin === ownOrigin(host)
  return isOwn && (site === undefined || site === 'same-origin')
}

/** @throws {AppError} FORBIDDEN unless a page of this controller makes the call */
export function checkOwnPage(call: CallHead): void {
  if (isOwnPage(call)) return
  throw new AppError('FORBIDDEN', { message: 'a session in a cookie is good for calls of the console itself only' })
}

/** The origin of the pages that are served under this host. */
export function ownOrigin(host: string): string | undefined {
  return URL.canParse(`https://${host}`) ? new URL(`https://${host}`).origin : undefined
}

interface CookieOptions {
  /** `Lax` for what has to come back with a redirect from another site. */
  readonly sameSite?: 'Strict' | 'Lax'
  /** Until the browser is closed unless given. */
  readonly maxAgeSeconds?: number
}

/** A `Set-Cookie` line. The prefix of the name makes browsers insist on Secure, on the path and on this very host. */
export function buildCookie(
  name: `__Host-${string}`,
  value: string,
  { sameSite = 'Strict', maxAgeSeconds }: CookieOptions = {},
): string {
  const age = maxAgeSeconds === undefined ? '' : `; Max-Age=${maxAgeSeconds}`
  return `${name}=${value}; Path=/; Secure; HttpOnly; SameSite=${sameSite}${age}`
}

/** A `Set-Cookie` line that takes the cookie away. */
export const clearCookie = (name: `__Host-${string}`): string => buildCookie(name, '', { maxAgeSeconds: 0 })
