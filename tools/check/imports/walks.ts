import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Check } from '../check.ts'
import { findLevel, findRoom } from './judge-rooms.ts'
import { SERVER } from './server-rooms.ts'

const DOCUMENT = 'docs/architecture.md'
const MAX_FILES = 8
/** Rules stand below every room of the server. */
const CORE_LEVEL = SERVER.levels.length

type Walk = { title: string; files: string[] }

/** The walks of the architecture page are short, name files that exist, and go down only. */
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
    return { looked: found.length, problems: found.flatMap((walk) => judgeWalk(base, walk)) }
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

function judgeWalk(base: string, { title, files }: Walk): string[] {
  const paths = files.map(pathOf)
  const levels = paths.map(levelOf)
  return [
    ...(files.length > MAX_FILES ? [`${DOCUMENT}, ${title}: ${files.length} files, ${MAX_FILES} at most`] : []),
    ...files.flatMap((file, at) => {
      if (!existsSync(join(base, paths[at] ?? ''))) return [`${DOCUMENT}, ${title}: ${file} does not exist`]
      const isUp = at > 0 && (levels[at] ?? 0) < (levels[at - 1] ?? 0)
      return isUp ? [`${DOCUMENT}, ${title}: ${file} is above the file before it`] : []
    }),
  ]
}

function pathOf(file: string): string {
  return file.startsWith('core/') ? `packages/core/src/${file.slice('core/'.length)}` : `${SERVER.folder}/${file}`
}

function levelOf(path: string): number {
  const room = findRoom(SERVER, path)
  return room === undefined ? CORE_LEVEL : findLevel(SERVER, room)
}
