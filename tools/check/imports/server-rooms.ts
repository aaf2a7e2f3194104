import type { Check } from '../check.ts'
import { loadImportGraph } from './import-graph.ts'
import { judgeRooms, type RoomTable } from './judge-rooms.ts'

/** The rooms of the server. `dev` is imported by `process` alone and may import every room that `process` may. */
export const SERVER: RoomTable = {
  folder: 'packages/server/src',
  levels: [
    ['index.ts'],
    ['process'],
    ['dev'],
    ['http'],
    ['login', 'enrollment', 'hosted'],
    ['operations'],
    ['session'],
    ['token'],
    ['keyset', 'events'],
    ['outbound', 'limits'],
    ['store'],
    ['platform'],
  ],
  narrowed: { 'index.ts': ['process', 'platform', 'store'] },
  file: 'tools/check/imports/server-rooms.ts',
}
const MAX_LOOSE_FILES = 3
const MAX_FOLDERS = 16

/** The folders of the server import to the right only, types included, and stay few enough to know by heart. */
export const serverRooms: Check = {
  name: 'server rooms',
  planted: {
    folder: 'imports/server-rooms',
    expect: [
      'login/by-token.ts: login may not import http: move what it needs to the right of login',
      'login/by-token.ts: login may not import enrollment: move what it needs to the right of both',
      'store/open.ts: store may not import operations',
      'http/demo.ts: http may not import dev',
      'dev/demo.ts: dev may not import process',
      'platform/clock.ts: platform may not import index.ts',
      'index.ts: index.ts may not import http: it imports process, platform, store alone',
      'packages/server/src/stranger is not in the table',
      'packages/server/src/strangest is not in the table',
      'packages/server/src/loose.ts is not in the table',
      'packages/server/src/looser.ts is not in the table',
      'packages/server/src/loosest.ts is not in the table',
      'packages/server/src has 4 loose files',
      'packages/server/src has 17 folders',
    ],
  },
  look(base) {
    const { files, edges } = loadImportGraph(base, `${SERVER.folder}/`)
    return { looked: edges.length, problems: [...judgeRooms({ files, edges }, SERVER), ...judgeNumbers(files)] }
  },
}

function judgeNumbers(files: string[]): string[] {
  const paths = files.map((file) => file.slice(SERVER.folder.length + 1).split('/'))
  const loose = paths.filter(({ length }) => length === 1).length
  const folders = new Set(paths.filter(({ length }) => length > 1).map(([folder]) => folder)).size
  const few = [`${MAX_LOOSE_FILES} at most: move them into rooms`, `${MAX_FOLDERS} at most: join two`]
  return [
    ...(loose > MAX_LOOSE_FILES ? [`${SERVER.folder} has ${loose} loose files, ${few[0]}`] : []),
    ...(folders > MAX_FOLDERS ? [`${SERVER.folder} has ${folders} folders, ${few[1]}`] : []),
  ]
}
