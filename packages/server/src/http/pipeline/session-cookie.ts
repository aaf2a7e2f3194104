import type { IncomingHttpHeaders } from 'node:http'
import { AppError, findCookie } from '@countersign/core'

/** The session token of the console. Scripts cannot read the cookie, and no other host can set it. */
export const SESSION_COOKIE = '__Host-countersign'

/** The headers of a request, and the host under which the client reached this controller. */
export interface CallHead {
  readonly headers: IncomingHttpHeaders
  readonly host: string
}

/**
 * The session token of the console's cookie; '' when there is none, or when the request has another credential, which then takes precedence.
 * @throws {AppError} FORBIDDEN when the request does not come from a page of this controller
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

/** Whether a page of this controller made the request: browsers send cookies with requests of other pages too. */
export function isOwnPage({ headers, host }: CallHead): boolean {
  const { 'sec-fetch-site': site, origin } = headers
  const isOwn = origin === undefined ? site !== undefined : origin === ownOrigin(host)
  return isOwn && (site === undefined || site === 'same-origin')
}

/** @throws {AppError} FORBIDDEN unless a page of this controller made the request */
export function checkOwnPage(call: CallHead): void {
  if (isOwnPage(call)) return
  throw new AppError('FORBIDDEN', { message: 'a session cookie is valid only in requests of the console' })
}

/** Whether the browser opens the URL of the request as a page: by a link, a redirect or typing. Clients that are not browsers send neither header. */
export function isNavigation({ headers }: Pick<CallHead, 'headers'>): boolean {
  const { 'sec-fetch-mode': mode = 'navigate', 'sec-fetch-dest': dest = 'document' } = headers
  return mode === 'navigate' && dest === 'document'
}

/** The origin of the pages that are served under this host. */
export function ownOrigin(host: string): string | undefined {
  return URL.canParse(`https://${host}`) ? new URL(`https://${host}`).origin : undefined
}

interface CookieOptions {
  /** `Lax` for a cookie that must be sent after a redirect from another site. */
  readonly sameSite?: 'Strict' | 'Lax'
  /** Until the browser is closed unless given. */
  readonly maxAgeSeconds?: number
}

/** A `Set-Cookie` line. With the prefix `__Host-` browsers require Secure, the path / and this exact host. */
export function buildCookie(
  name: `__Host-${string}`,
  value: string,
  { sameSite = 'Strict', maxAgeSeconds }: CookieOptions = {},
): string {
  const age = maxAgeSeconds === undefined ? '' : `; Max-Age=${maxAgeSeconds}`
  return `${name}=${value}; Path=/; Secure; HttpOnly; SameSite=${sameSite}${age}`
}

/** A `Set-Cookie` line that deletes the cookie. */
export const clearCookie = (name: `__Host-${string}`): string => buildCookie(name, '', { maxAgeSeconds: 0 })
