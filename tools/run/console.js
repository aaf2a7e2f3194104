import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { withLock } from './lock.js'
import { showProgress } from './progress.js'

/** What the console is made of: its own package, and the packages of ours that it imports. */
const sources = ['packages/console', 'packages/sdk/src', 'packages/contract/src', 'package-lock.json']
const made = new Set(['node_modules', 'dist', 'build'])
const stamp = '.stamp'
const packable = new Set(['.css', '.js', '.svg', '.txt', '.webmanifest'])
const kibibyte = 1024
/** Of script, packed, before the first page can be seen. */
const mostFirstLoad = 300 * kibibyte

/**
 * Builds the console unless `packages/console/dist` is of these very sources, once at a time. Throws with the words of the build.
 * A controller that runs has read its files already, so that they may be replaced under it.
 */
export async function ensureConsole({ root, node }) {
  const folder = join(root, 'packages', 'console')
  if (!existsSync(join(folder, 'index.html')) || isBuilt(root)) return
  await withLock(join(root, '.console-lock'), 'builds the console', async () => {
    const digest = digestSources(root)
    if (isBuilt(root, digest)) return
    const progress = showProgress('Building the console')
    const fresh = join(folder, `.dist-${process.pid}`)
    try {
      await runVite({ root, node, folder, fresh })
      packFiles(fresh)
      const size = measureFirstLoad(fresh)
      if (size > mostFirstLoad) throw new Error(`The first page of the console needs ${told(size)} (${limit}).`)
      writeFileSync(join(fresh, stamp), `${digest}\n`)
      rmSync(join(folder, 'dist'), { recursive: true, force: true })
      renameSync(fresh, join(folder, 'dist'))
      progress.end(true)
      process.stderr.write(`The first page needs ${told(size)} (${limit}).\n`)
    } catch (error) {
      progress.end(false)
      throw error
    } finally {
      rmSync(fresh, { recursive: true, force: true })
    }
  })
}

const told = (bytes) => `${Math.ceil(bytes / kibibyte)} KiB of script, gzipped`
const limit = `at most ${mostFirstLoad / kibibyte} KiB`

/** Whether what is in `dist` was made of what is there now. */
function isBuilt(root, digest) {
  try {
    const known = readFileSync(join(root, 'packages', 'console', 'dist', stamp), 'utf8').trim()
    return known === (digest ?? digestSources(root))
  } catch (error) {
    if (error.code === 'ENOENT') return false
    throw error
  }
}

/** One digest over the names and contents of all sources; tests make no difference. */
export function digestSources(root) {
  const hash = createHash('sha256')
  for (const source of sources) {
    for (const file of listSources(root, source)) {
      hash.update(`${file}\0`).update(
        createHash('sha256')
          .update(readFileSync(join(root, file)))
          .digest(),
      )
    }
  }
  return hash.digest('hex')
}

function listSources(root, path) {
  if (!existsSync(join(root, path))) return []
  if (extname(path) === '.json') return [path]
  return readdirSync(join(root, path), { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const { name } = entry
      if (made.has(name) || name.startsWith('.') || name === 'test' || name.endsWith('.test.ts')) return []
      if (entry.isDirectory()) return listSources(root, `${path}/${name}`)
      return name.endsWith('.md') ? [] : [`${path}/${name}`]
    })
}

async function runVite({ root, node, folder, fresh }) {
  const vite = join(root, 'node_modules', 'vite', 'bin', 'vite.js')
  const args = [vite, 'build', '--outDir', fresh, '--emptyOutDir', '--logLevel', 'warn']
  const env = { ...process.env, NODE_ENV: 'production', NO_COLOR: '1' }
  const child = spawn(node, args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      output = (output + text).slice(-20_000)
    })
  }
  const code = await new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message))
    child.once('close', (status, signal) => resolve(status ?? signal))
  })
  if (code !== 0) throw new Error(`${output.trim() || `vite ended with ${code}`}\n\nThe console could not be built.`)
}

/** Puts a packed copy beside every file that gets smaller by it, so that nothing is packed while it is asked for. */
function packFiles(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    if (!entry.isFile() || !packable.has(extname(entry.name))) continue
    const file = join(entry.parentPath ?? entry.path, entry.name)
    const content = readFileSync(file)
    const packed = gzipSync(content, { level: 9 })
    if (packed.length < content.length) writeFileSync(`${file}.gz`, packed)
  }
}

/** How many packed bytes of script the page names, by itself or to be loaded ahead. */
export function measureFirstLoad(folder) {
  const page = readFileSync(join(folder, 'index.html'), 'utf8')
  const scripts = new Set([...page.matchAll(/(?:src|href)="\/console\/([^"]+\.js)"/g)].map(([, path]) => path))
  let size = 0
  for (const path of scripts) size += gzipSync(readFileSync(join(folder, path)), { level: 9 }).length
  return size
}
