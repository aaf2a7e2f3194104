import { randomBytes } from 'node:crypto'
import { AppError } from '@countersign/core'
import type { Settings } from '../../platform/settings/index.ts'
import type { Call } from '../pipeline/call.ts'
import type { Route, RouteResponse } from '../pipeline/route.ts'
import { type ConsoleFile, isFilePath, loadConsoleFiles } from './console-files.ts'
import { createConsoleHeaders } from './console-headers.ts'

interface ConsolePageRouteParts {
  readonly settings: Pick<Settings, 'dev'>
  /** The folder of the built console; the build's own output folder unless given. */
  readonly consoleFolder?: string | undefined
}

const PREFIX = '/console/'
const HTML = 'text/html; charset=utf-8'
const NONCE_BYTES = 18
/** File names in here contain a digest of the content. */
const DIGESTED = 'assets/'
const NOT_BUILT = [
  '<!doctype html><html lang="en"><meta charset="utf-8"><title>Countersign</title><h1>Countersign</h1>' +
    '<p>The controller is running. Its console is not built: run <code>npm start</code> to build it.</p></html>\n',
]

/** The web console: its files, and its page for every other path, since the console routes in the browser. */
export function consolePageRoutes({ settings, consoleFolder }: ConsolePageRouteParts): Route[] {
  const { page, files } = loadConsoleFiles(consoleFolder) ?? { page: NOT_BUILT, files: new Map<string, ConsoleFile>() }
  const headers = createConsoleHeaders(settings)

  const showPage = (): RouteResponse => {
    const nonce = randomBytes(NONCE_BYTES).toString('base64')
    return { status: 200, headers: headers.page(nonce), bytes: { content: Buffer.from(page.join(nonce)), type: HTML } }
  }

  const showFile = (path: string, { type, content, gzip }: ConsoleFile, accepted: string): RouteResponse => {
    const isPacked = gzip !== undefined && acceptsGzip(accepted)
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

  const show = (call: Call): RouteResponse => {
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
      note: null,
      produces: HTML,
      handle: show,
    },
  ]
}

/** Encoded forms of a separator, a dot, or a percent sign that a second decoding would reveal. */
const ENCODED = ['%2f', '%5c', '%2e', '%25', '%00', '\\']

/**
 * The path below `/console/` as it was sent.
 * @throws {AppError} NOT_FOUND for a path that changes its meaning when it is decoded or resolved
 */
function plainPath(url: string): string {
  const [sent = ''] = url.split('?', 1)
  const lower = sent.toLowerCase()
  if (ENCODED.some((text) => lower.includes(text))) throw new AppError('NOT_FOUND')
  const path = sent.replace(/^\/+/, '/').slice(PREFIX.length)
  if (path.split('/').some((segment) => segment.startsWith('.'))) throw new AppError('NOT_FOUND')
  return path
}

/** Whether `Accept-Encoding` lists gzip with a quality above zero. */
function acceptsGzip(accepted: string): boolean {
  return accepted.split(',').some((one) => {
    const [name = '', quality = ''] = one.split(';', 2)
    return name.trim().toLowerCase() === 'gzip' && !/^\s*q=0(\.0*)?\s*$/.test(quality)
  })
}
