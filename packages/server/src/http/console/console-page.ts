import { readFileSync } from 'node:fs'
import { PAGE_HEADERS } from '../pipeline/page-headers.ts'
import type { Route } from '../pipeline/route.ts'

const FILES = [
  { path: '', file: 'index.html', type: 'text/html; charset=utf-8' },
  { path: 'page.css', file: 'page.css', type: 'text/css; charset=utf-8' },
  { path: 'page.js', file: 'page.js', type: 'text/javascript; charset=utf-8' },
]

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
      handle: () => ({ status: 200, headers: PAGE_HEADERS, bytes: { content, type } }),
    }
  })
}
