import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { ensureBuilt } from './ensure-built.js'
import { runNode } from './run-program.js'

/** The console's own package, and the packages of ours that it imports. */
const sources = ['packages/console', 'packages/sdk/src', 'packages/contract/src', 'package-lock.json']
const compressible = new Set(['.css', '.js', '.svg', '.txt', '.webmanifest'])
const kibibyte = 1024
/** The limit on script, compressed, that the first page loads. */
const maxFirstLoad = 300 * kibibyte

/**
 * Builds the console unless `packages/console/dist` is of the current sources. Throws with the output of the build.
 * A running controller has read its files already, so that they may be replaced.
 */
export async function ensureConsole({ root, node }) {
  const folder = join(root, 'packages', 'console')
  if (!existsSync(join(folder, 'index.html'))) return
  const build = async (fresh) => {
    await runVite({ root, node, folder, fresh })
    compressFiles(fresh)
    const size = measureFirstLoad(fresh)
    const text = `${Math.ceil(size / kibibyte)} KiB of script, gzipped (at most ${maxFirstLoad / kibibyte} KiB)`
    if (size > maxFirstLoad) throw new Error(`The first page of the console needs ${text}.`)
    process.stderr.write(`The first page needs ${text}.\n`)
  }
  await ensureBuilt({ root, what: 'console', sources, output: join(folder, 'dist'), build })
}

async function runVite({ root, node, folder, fresh }) {
  const vite = join(root, 'node_modules', 'vite', 'bin', 'vite.js')
  const args = [vite, 'build', '--outDir', fresh, '--emptyOutDir', '--logLevel', 'warn']
  try {
    await runNode(node, args, { cwd: folder, env: { NODE_ENV: 'production' } })
  } catch (error) {
    throw new Error(`${error.message}\n\nThe console could not be built.`)
  }
}

/** Puts a compressed copy beside every file that it makes smaller, so that no request waits for compression. */
function compressFiles(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    if (!entry.isFile() || !compressible.has(extname(entry.name))) continue
    const file = join(entry.parentPath ?? entry.path, entry.name)
    const content = readFileSync(file)
    const compressed = gzipSync(content, { level: 9 })
    if (compressed.length < content.length) writeFileSync(`${file}.gz`, compressed)
  }
}

/** Returns the compressed size of the scripts that the page names, directly or for preloading. */
export function measureFirstLoad(folder) {
  const page = readFileSync(join(folder, 'index.html'), 'utf8')
  const scripts = new Set([...page.matchAll(/(?:src|href)="\/console\/([^"]+\.js)"/g)].map(([, path]) => path))
  let size = 0
  for (const path of scripts) size += gzipSync(readFileSync(join(folder, path)), { level: 9 }).length
  return size
}
