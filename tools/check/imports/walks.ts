import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Check } from '../check.ts'
import { findEntry, findLayer } from './find-layer-violations.ts'
import { SERVER } from './server-layers.ts'

const DOCUMENT = 'docs/architecture.md'
const MAX_FILES = 8
/** `core` is below every layer of the server. */
const CORE_LAYER = SERVER.layers.length

type Walk = { title: string; files: string[] }

/** The walks in docs/architecture.md are short, name files that exist, and never go to a higher layer. */
export const walks: Check = {
  name: 'walks',
  planted: {
    folder: 'imports/walks',
    expect: [
      'Too long: 9 files, 8 at most',
      'Back up: store/rows.ts is above the file before it',
      'Not there: http/nowhere.ts does not exist',
    ],
  },
  look(base) {
    const found = readWalks(readFileSync(join(base, DOCUMENT), 'utf8'))
    return { looked: found.length, problems: found.flatMap((walk) => checkWalk(base, walk)) }
  },
}

function readWalks(page: string): Walk[] {
  const section = page.split(/^## Four walks$/m)[1]?.split(/^## /m)[0] ?? ''
  return section
    .split(/^(?=\*\*)/m)
    .slice(1)
    .map((text) => ({
      title: text.match(/^\*\*(.+?)\*\*/)?.[1] ?? '',
      files: [...text.matchAll(/^\d+\. `([^`]+)`/gm)].map(([, file = '']) => file),
    }))
}

function checkWalk(base: string, { title, files }: Walk): string[] {
  const paths = files.map(pathOf)
  const layers = paths.map(layerOf)
  return [
    ...(files.length > MAX_FILES ? [`${DOCUMENT}, ${title}: ${files.length} files, ${MAX_FILES} at most`] : []),
    ...files.flatMap((file, at) => {
      if (!existsSync(join(base, paths[at] ?? ''))) return [`${DOCUMENT}, ${title}: ${file} does not exist`]
      const isUp = at > 0 && (layers[at] ?? 0) < (layers[at - 1] ?? 0)
      return isUp ? [`${DOCUMENT}, ${title}: ${file} is above the file before it`] : []
    }),
  ]
}

function pathOf(file: string): string {
  return file.startsWith('core/') ? `packages/core/src/${file.slice('core/'.length)}` : `${SERVER.folder}/${file}`
}

function layerOf(path: string): number {
  const entry = findEntry(SERVER, path)
  return entry === undefined ? CORE_LAYER : findLayer(SERVER, entry)
}
