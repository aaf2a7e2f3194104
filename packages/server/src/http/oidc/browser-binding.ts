import { findCookie, newSecret, secretDigest } from '@countersign/core'
import type { StoredOidcLogin } from '../../store/oidc-login.ts'
import type { Call } from '../pipeline/call.ts'
import { buildCookie } from '../pipeline/session-cookie.ts'
import { chooseType } from './accept.ts'

/**
 * Binds a login to the browser that began it. Without it, an attacker could begin a login, send its address to a user, and collect the code after
 * the user has logged in.
 */
const COOKIE = '__Host-countersign-oidc'
const SECRET = /^[A-Za-z0-9_-]{43}$/

type BrowserCall = Pick<Call, 'untrustedHead'>

/** The digest that a new login is bound to, and the cookie for the browser. A browser keeps its cookie, so that logins in two tabs both work. */
export function bindToBrowser(call: BrowserCall, maxAgeSeconds: number) {
  const sent = sentSecret(call)
  const secret = sent !== undefined && SECRET.test(sent) ? sent : newSecret()
  // Lax: an app opens the page, and sends its user back from it.
  return { digest: secretDigest(secret), cookie: buildCookie(COOKIE, secret, { sameSite: 'Lax', maxAgeSeconds }) }
}

/**
 * Whether the request comes from the browser that began the login, or from a program when a program began it. A browser takes no part in a login
 * that it did not begin, whatever page sent it there: the other would collect the code.
 */
export function isSameBrowser({ browserDigest }: Pick<StoredOidcLogin, 'browserDigest'>, call: BrowserCall): boolean {
  if (browserDigest === undefined) return chooseType(call.untrustedHead.headers.accept) !== 'html'
  const sent = sentSecret(call)
  return sent !== undefined && secretDigest(sent) === browserDigest
}

function sentSecret({ untrustedHead }: BrowserCall): string | undefined {
  return findCookie(untrustedHead.headers.cookie ?? '', COOKIE)
}
