import type { Check } from '../check.ts'
import { findLayerViolations, type LayerTable } from './find-layer-violations.ts'
import { loadImportGraph } from './import-graph.ts'

/** The layers of the server. `dev` is imported only by `process`, and may import all that `process` may. */
export const SERVER: LayerTable = {
  folder: 'packages/server/src',
  layers: [
    ['index.ts'],
    ['process'],
    ['dev'],
    ['http'],
    ['login', 'enrollment', 'hosted', 'oidc'],
    ['operations'],
    ['session'],
    ['token'],
    ['keyset', 'events'],
    ['outbound', 'limits'],
    ['store'],
    ['platform'],
  ],
  restricted: { 'index.ts': ['process', 'platform', 'store'] },
  file: 'tools/check/imports/server-layers.ts',
}
const MAX_FILES = 3
const MAX_FOLDERS = 16

/** The folders of the server import only lower layers, type imports included, and their number is limited. */
export const serverLayers: Check = {
  name: 'server layers',
  planted: {
    folder: 'imports/server-rooms',
    expect: [
      'login/by-token.ts: login may not import http: move the shared code below login',
      'login/by-token.ts: login may not import enrollment: move the shared code below both',
      'store/open.ts: store may not import operations',
      'http/demo.ts: http may not import dev',
      'dev/demo.ts: dev may not import process',
      'platform/clock.ts: platform may not import index.ts',
      'index.ts: index.ts may not import http: it may import only process, platform, store',
      'packages/server/src/stranger is not in the table',
      'packages/server/src/strangest is not in the table',
      'packages/server/src/loose.ts is not in the table',
      'packages/server/src/looser.ts is not in the table',
      'packages/server/src/loosest.ts is not in the table',
      'packages/server/src has 4 files',
      'packages/server/src has 17 folders',
    ],
  },
  look(base) {
    const { files, edges } = loadImportGraph(base, `${SERVER.folder}/`)
    return { looked: edges.length, problems: [...findLayerViolations({ files, edges }, SERVER), ...checkCounts(files)] }
  },
}

function checkCounts(files: string[]): string[] {
  const paths = files.map((file) => file.slice(SERVER.folder.length + 1).split('/'))
  const fileCount = paths.filter(({ length }) => length === 1).length
  const folderCount = new Set(paths.filter(({ length }) => length > 1).map(([folder]) => folder)).size
  return [
    ...(fileCount > MAX_FILES
      ? [`${SERVER.folder} has ${fileCount} files, ${MAX_FILES} at most: move them into folders`]
      : []),
    ...(folderCount > MAX_FOLDERS
      ? [`${SERVER.folder} has ${folderCount} folders, ${MAX_FOLDERS} at most: merge two`]
      : []),
  ]
}
