/**
 * Whether a URL is below the issuer's own URL, so that only the issuer decides what it returns. Other tenants may share the host, so the host
 * alone proves nothing. An escaped path is not below: servers decode it differently.
 */
export function isBelowIssuer(issuer: string, url: string): boolean {
  if (!URL.canParse(issuer) || !URL.canParse(url)) return false
  const [base, endpoint] = [new URL(issuer), new URL(url)]
  const folder = base.pathname.endsWith('/') ? base.pathname : `${base.pathname}/`
  const isPlain = !endpoint.pathname.includes('%') && base.search === '' && base.hash === ''
  return isPlain && endpoint.origin === base.origin && endpoint.pathname.startsWith(folder)
}
