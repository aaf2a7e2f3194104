/** `node tools/run/bundle-command.js FOLDER`: bundles the command and the entry files of its threads and workers. */
import { basename, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { rolldown } from 'rolldown'

const root = fileURLToPath(new URL('../..', import.meta.url))
const [folder = ''] = process.argv.slice(2)
const entries = [
  'packages/cli/src/main.ts',
  'packages/server/src/operations/writer.ts',
  'packages/server/src/store/sqlite/reader-thread.ts',
  'packages/server/src/process/delivery/sender-process.ts',
  'packages/server/src/process/workers/worker-process.ts',
  'packages/server/src/token/signatures/signature-thread.ts',
]
const input = Object.fromEntries(entries.map((file) => [basename(file, '.ts'), join(root, file)]))
/** Packages of ours, and kysely, which has as many files as the server has; the rest is loaded from node_modules. */
const bundled = /^(?:[./]|@countersign\/|kysely|@oxc-project\/|\0)/
const entryUrl = new RegExp(`new URL\\('\\./(${Object.keys(input).join('|')})\\.ts', import\\.meta\\.url\\)`, 'g')

/** Threads and workers start from the bundle. Every other path keeps its meaning: it is relative to the source file. */
const keepUrls = {
  name: 'keep-urls',
  transform(code, id) {
    if (!code.includes('import.meta.url') || id.includes('node_modules')) return null
    const moved = code.replaceAll(entryUrl, "new URL('./$1.js', import.meta.bundleUrl)")
    const url = JSON.stringify(pathToFileURL(id).href)
    return {
      code: moved.replaceAll('import.meta.url', url).replaceAll('import.meta.bundleUrl', 'import.meta.url'),
      map: null,
    }
  },
}

/** V8 keeps a source in one byte per character, unless one of them is outside Latin-1. */
const escapeWideCharacters = {
  name: 'escape-wide-characters',
  generateBundle(_, files) {
    const escaped = (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
    for (const file of Object.values(files)) {
      if (file.type === 'chunk') file.code = file.code.replaceAll(/[^\0-\xff]/g, escaped)
    }
  },
}

const bundle = await rolldown({
  input,
  platform: 'node',
  external: (id) => !bundled.test(id),
  plugins: [keepUrls, escapeWideCharacters],
  transform: { target: 'node24' },
  onLog(level, log, report) {
    if (log.code !== 'SOURCEMAP_BROKEN') report(level, log)
  },
})
await bundle.write({
  dir: folder,
  format: 'esm',
  sourcemap: true,
  // Each thread keeps the source of what it loads.
  comments: false,
  entryFileNames: '[name].js',
  chunkFileNames: '[name]-[hash].js',
})
await bundle.close()
