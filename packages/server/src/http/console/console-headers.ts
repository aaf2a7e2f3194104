/** What goes with everything under `/console/`. */
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
 * The console loads its own files and asks its own server; only scripts and styles with the nonce of this very page run, and nobody may
 * frame it. Whoever tries the product out on his own machine is not told to use https for everything there.
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
