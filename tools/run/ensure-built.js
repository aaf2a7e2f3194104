import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, extname, join } from 'node:path'
import { withLock } from './lock.js'
import { showProgress } from './progress.js'

const generated = new Set(['node_modules', 'dist', 'build'])
const stamp = '.stamp'

/**
 * Builds `output` unless it is of the current `sources`, one process at a time. `build(folder)` fills a new folder, which then
 * replaces `output`. Throws what `build` throws, and keeps the old `output` then.
 */
export async function ensureBuilt({ root, what, sources, output, build }) {
  const digest = digestSources(root, sources)
  if (readStamp(output) === digest) return
  mkdirSync(dirname(output), { recursive: true })
  // Hidden, so that neither is taken for a source.
  const beside = join(dirname(output), `.${basename(output)}`)
  await withLock(`${beside}-lock`, `builds the ${what}`, async () => {
    if (readStamp(output) === digest) return
    const progress = showProgress(`Building the ${what}`)
    const fresh = `${beside}-${process.pid}`
    try {
      await build(fresh)
      writeFileSync(join(fresh, stamp), digest)
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

/** Returns the digest of the sources that `output` was built from. */
function readStamp(output) {
  const file = join(output, stamp)
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined
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
      if (generated.has(name) || name.startsWith('.') || name === 'test' || name.endsWith('.test.ts')) return []
      if (entry.isDirectory()) return listSources(root, `${path}/${name}`)
      return name.endsWith('.md') ? [] : [`${path}/${name}`]
    })
}
