import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The text that the build leaves in the page in place of the nonce. */
export const NONCE_PLACEHOLDER = '__CSP_NONCE__'

export interface ConsoleFile {
  readonly type: string
  readonly content: Buffer
  /** The compressed content, if the build has produced it. */
  readonly gzip: Buffer | undefined
}

/** The built console: its page, split at the nonce, and its other files by their path below `/console/`. */
export interface ConsoleFiles {
  readonly page: readonly string[]
  readonly files: ReadonlyMap<string, ConsoleFile>
}

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
  '.woff2': 'font/woff2',
}
const PAGE = 'index.html'
const PACKED = '.gz'

/** In a published package the console is inside the server; in the repository it is the build's output. */
const FOLDERS = ['./app/', '../../../../console/dist/'].map((path) => fileURLToPath(new URL(path, import.meta.url)))

/**
 * Reads every file of the console into memory. Requests are served from there, so no path can reach another file. Links, hidden files and
 * types that no browser needs, such as source maps, are left out. Undefined when the console is not built.
 */
export function loadConsoleFiles(
  folder = FOLDERS.find((one) => existsSync(join(one, PAGE))),
): ConsoleFiles | undefined {
  if (folder === undefined || !existsSync(join(folder, PAGE))) return undefined
  const files = new Map<string, ConsoleFile>()
  for (const path of listPlainFiles(folder)) {
    const type = TYPES[extname(path)]
    if (type === undefined) continue
    const packed = join(folder, path + PACKED)
    const gzip = existsSync(packed) ? readFileSync(packed) : undefined
    files.set(path, { type, content: readFileSync(join(folder, path)), gzip })
  }
  return { page: readFileSync(join(folder, PAGE), 'utf8').split(NONCE_PLACEHOLDER), files }
}

/** Whether a path names a file rather than a page of the console. */
export function isFilePath(path: string): boolean {
  return path.startsWith('assets/') || extname(path) === '.map' || Object.hasOwn(TYPES, extname(path))
}

function listPlainFiles(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .filter((path) => !path.split('/').some((segment) => segment.startsWith('.')))
}
