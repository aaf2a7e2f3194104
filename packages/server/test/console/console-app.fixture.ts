/** Shared by the tests of the console: a built console of a few files, and calls as a browser makes them. */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { gzipSync } from 'node:zlib'
import { ADMIN_PASSWORD, type AppOptions, buildApp, type Reply, type TestApp } from '../http/build-app.ts'

export const HOST = 'controller.example:1280'
export const SCRIPT = 'console.log("the console")\n'
/** In a file outside the build; a link inside leads to it. */
export const SECRET = 'not part of the build'
const PAGE = `<!doctype html><meta property="csp-nonce" nonce="__CSP_NONCE__"><script nonce="__CSP_NONCE__"></script>`

/** The headers of a browser's call from the console's own page. */
export const OWN_PAGE = { host: HOST, 'sec-fetch-site': 'same-origin' }

export async function buildConsoleApp(t: TestContext, options: AppOptions = {}): Promise<TestApp> {
  return buildApp(t, { consoleFolder: makeConsole(t), ...options })
}

export function makeConsole(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-console-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const files = {
    'dist/index.html': PAGE,
    'dist/assets/index-1a2b3c.js': SCRIPT,
    'dist/assets/index-1a2b3c.js.gz': gzipSync(SCRIPT),
    'dist/assets/index-1a2b3c.js.map': '{"sources":["../src/main.tsx"]}',
    'dist/favicon.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
    'dist/.stamp': 'build stamp',
    'dist/.hidden/app.js': 'hidden',
    'secret.js': SECRET,
  }
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(join(folder, path, '..'), { recursive: true })
    writeFileSync(join(folder, path), content)
  }
  symlinkSync(join(folder, 'secret.js'), join(folder, 'dist/linked.js'))
  return join(folder, 'dist')
}

/** Logs in as the console's page does. */
export function logInByPage(app: TestApp, headers: Readonly<Record<string, string>> = OWN_PAGE): Promise<Reply> {
  return app.call('POST', '/console/session', { username: 'admin', password: ADMIN_PASSWORD }, { headers })
}

/** The `Set-Cookie` lines of a reply. */
export function cookiesOf({ headers }: Reply): string[] {
  return [headers['set-cookie'] ?? []].flat()
}

/** The cookie of an administrator's session, as a browser sends it back. */
export async function sessionCookie(app: TestApp): Promise<string> {
  const [line = ''] = cookiesOf(await logInByPage(app))
  return line.split(';', 1)[0] ?? ''
}
