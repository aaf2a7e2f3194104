/**
 * Whether a URL is below the issuer's own URL, so that only the issuer decides what it returns. Other tenants may share the host, and users may
 * publish files on it, so of an issuer without a path only `/.well-known/` counts. A path with escapes or parameters (`..;`) is not below: servers read it differently.
 */
export function isBelowIssuer(issuer: string, url: string): boolean {
  if (!URL.canParse(issuer) || !URL.canParse(url)) return false
  const [base, endpoint] = [new URL(issuer), new URL(url)]
  const path = base.pathname === '/' ? '/.well-known/' : base.pathname
  const folder = path.endsWith('/') ? path : `${path}/`
  const isPlain = !/[%;]/.test(endpoint.pathname) && base.search === '' && base.hash === ''
  return isPlain && endpoint.origin === base.origin && endpoint.pathname.startsWith(folder)
}
