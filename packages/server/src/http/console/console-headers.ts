/** Sent with every response under `/console/`. */
const COMMON = {
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
}
const HALF_A_YEAR = 15_552_000

export interface ConsoleHeaders {
  /** For the page that carries this nonce. */
  page(nonce: string): Record<string, string>
  readonly file: Readonly<Record<string, string>>
}

/**
 * The console loads files and data from its own server only, runs only scripts and styles with the nonce of the page, and cannot be framed.
 * In development mode there is no HSTS: it would force https on every other service of the same host.
 */
export function createConsoleHeaders({ dev }: { readonly dev: boolean }): ConsoleHeaders {
  const common = { ...COMMON, ...(!dev && { 'strict-transport-security': `max-age=${HALF_A_YEAR}` }) }
  return {
    page: (nonce) => ({
      ...common,
      'content-security-policy': [
        "default-src 'self'",
        `script-src 'self' 'nonce-${nonce}'`,
        `style-src 'self' 'nonce-${nonce}'`,
        "img-src 'self' data:",
        "connect-src 'self'",
        "object-src 'none'",
        "base-uri 'none'",
        "form-action 'self'",
        "frame-ancestors 'none'",
      ].join('; '),
      'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
      'cache-control': 'no-store',
    }),
    file: common,
  }
}
