import { randomBytes } from 'node:crypto'
import { AppError } from '@countersign/core'
import type { ControllerContext } from '../controller-context.ts'
import type { Call } from '../pipeline/call.ts'
import type { Answer, Route } from '../pipeline/route.ts'
import { type ConsoleFile, isFilePath, loadConsoleFiles } from './console-files.ts'
import { createConsoleHeaders } from './console-headers.ts'

const PREFIX = '/console/'
const HTML = 'text/html; charset=utf-8'
const NONCE_BYTES = 18
/** Their names hold a digest of their content. */
const DIGESTED = 'assets/'
const NOT_BUILT = [
  '<!doctype html><html lang="en"><meta charset="utf-8"><title>Countersign</title><h1>Countersign</h1>' +
    '<p>The controller runs. Its console is not built yet: <code>npm start</code> builds it.</p></html>\n',
]

/** The web console: its files, and its page for every other path, since it finds its way by itself. */
export function consolePageRoutes({ settings, consoleFolder }: ControllerContext): Route[] {
  const { page, files } = loadConsoleFiles(consoleFolder) ?? { page: NOT_BUILT, files: new Map<string, ConsoleFile>() }
  const headers = createConsoleHeaders(settings)

  const showPage = (): Answer => {
    const nonce = randomBytes(NONCE_BYTES).toString('base64')
    return { status: 200, headers: headers.page(nonce), bytes: { content: Buffer.from(page.join(nonce)), type: HTML } }
  }

  const showFile = (path: string, { type, content, gzip }: ConsoleFile, accepted: string): Answer => {
    const isPacked = gzip !== undefined && takesGzip(accepted)
    return {
      status: 200,
      headers: {
        ...headers.file,
        'cache-control': path.startsWith(DIGESTED) ? 'public, max-age=31536000, immutable' : 'no-cache',
        ...(gzip && { vary: 'Accept-Encoding' }),
        ...(isPacked && { 'content-encoding': 'gzip' }),
      },
      bytes: { content: isPacked ? gzip : content, type },
    }
  }

  const show = (call: Call): Answer => {
    const { url, headers: sent } = call.untrustedHead
    const path = plainPath(url)
    const file = files.get(path)
    if (file) return showFile(path, file, String(sent['accept-encoding'] ?? ''))
    if (isFilePath(path)) throw new AppError('NOT_FOUND')
    return showPage()
  }

  return [
    {
      method: 'GET',
      paths: [PREFIX, `${PREFIX}*`],
      access: 'anonymous',
      rate: 'none',
      bodyCap: 'anonymous',
      body: null,
      produces: HTML,
      handle: show,
    },
  ]
}

/** Ways to write a separator, a dot, or a percent sign that would be one after another decoding. */
const ENCODED = ['%2f', '%5c', '%2e', '%25', '%00', '\\']

/**
 * The path below `/console/` as it was sent.
 * @throws {AppError} NOT_FOUND for one that says something else to somebody who decodes or resolves it
 */
function plainPath(url: string): string {
  const [sent = ''] = url.split('?', 1)
  const lower = sent.toLowerCase()
  if (ENCODED.some((text) => lower.includes(text))) throw new AppError('NOT_FOUND')
  const path = sent.replace(/^\/+/, '/').slice(PREFIX.length)
  if (path.split('/').some((segment) => segment.startsWith('.'))) throw new AppError('NOT_FOUND')
  return path
}

/** Whether gzip is among the encodings that a browser says it takes; one with a quality of zero is not. */
function takesGzip(accepted: string): boolean {
  return accepted.split(',').some((one) => {
    const [name = '', quality = ''] = one.split(';', 2)
    return name.trim().toLowerCase() === 'gzip' && !/^\s*q=0(\.0*)?\s*$/.test(quality)
  })
}
