import { readFileSync } from 'node:fs'
import type { Route } from '../pipeline/route.ts'

const FILES = [
  { path: '', file: 'index.html', type: 'text/html; charset=utf-8' },
  { path: 'page.css', file: 'page.css', type: 'text/css; charset=utf-8' },
  { path: 'page.js', file: 'page.js', type: 'text/javascript; charset=utf-8' },
]

/** The page may load its own files and ask its own server, and nobody may frame it. */
const SECURITY_HEADERS = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-cache',
}

/** What a browser shows at the controller's address: that it runs, and which signers there are. */
export function consolePageRoutes(): Route[] {
  return FILES.map(({ path, file, type }) => {
    const content = readFileSync(new URL(`./page/${file}`, import.meta.url))
    return {
      method: 'GET',
      paths: [`/console/${path}`],
      access: 'anonymous',
      rate: 'none',
      bodyCap: 'anonymous',
      body: null,
      produces: type,
      handle: () => ({ status: 200, headers: SECURITY_HEADERS, bytes: { content, type } }),
    }
  })
}
