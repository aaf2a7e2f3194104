import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, extname, join } from 'node:path'
import { withLock } from './lock.js'
import { showProgress } from './progress.js'

const generated = new Set(['node_modules', 'dist', 'build'])
const stamp = '.stamp'
const keptOutput = 20_000

/**
 * Builds `output` unless it is of the current `sources`, one process at a time. `build(folder)` fills a new folder, which then
 * replaces `output`. Throws what `build` throws, and keeps the old `output` then.
 */
export async function ensureBuilt({ root, what, sources, output, build }) {
  if (isBuilt(root, sources, output)) return
  mkdirSync(dirname(output), { recursive: true })
  await withLock(`${output}-lock`, `builds the ${what}`, async () => {
    if (isBuilt(root, sources, output)) return
    const digest = digestSources(root, sources)
    const progress = showProgress(`Building the ${what}`)
    const fresh = `${output}-${process.pid}`
    try {
      await build(fresh)
      writeFileSync(join(fresh, stamp), `${digest}\n`)
      rmSync(output, { recursive: true, force: true })
      renameSync(fresh, output)
      progress.end(true)
    } catch (error) {
      progress.end(false)
      throw error
    } finally {
      rmSync(fresh, { recursive: true, force: true })
    }
  })
}

/** Runs a Node program. Throws with the end of its output when it fails. */
export async function runBuild(node, args, { cwd, env = {} }) {
  const child = spawn(node, args, {
    cwd,
    env: { ...process.env, NO_COLOR: '1', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      output = (output + text).slice(-keptOutput)
    })
  }
  const code = await new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message))
    child.once('close', (status, signal) => resolve(status ?? signal))
  })
  if (code !== 0) throw new Error(output.trim() || `${args[0]} ended with ${code}`)
}

function isBuilt(root, sources, output) {
  try {
    return readFileSync(join(output, stamp), 'utf8').trim() === digestSources(root, sources)
  } catch (error) {
    if (error.code === 'ENOENT') return false
    throw error
  }
}

/** Returns one digest over the names and contents of all sources. Tests and documents do not count. */
export function digestSources(root, sources) {
  const hash = createHash('sha256')
  for (const file of sources.flatMap((source) => listSources(root, source))) {
    const content = createHash('sha256').update(readFileSync(join(root, file)))
    hash.update(`${file}\0`).update(content.digest())
  }
  return hash.digest('hex')
}

function listSources(root, path) {
  if (!existsSync(join(root, path))) return []
  if (extname(path) !== '') return [path]
  return readdirSync(join(root, path), { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const { name } = entry
      if (
        generated.has(name) ||
        name.startsWith('dist-') ||
        name.startsWith('.') ||
        name === 'test' ||
        name.endsWith('.test.ts')
      )
        return []
      if (entry.isDirectory()) return listSources(root, `${path}/${name}`)
      return name.endsWith('.md') ? [] : [`${path}/${name}`]
    })
}
