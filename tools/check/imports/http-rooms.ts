import type { Check } from '../check.ts'
import { loadImportGraph } from './import-graph.ts'
import { judgeRooms, type RoomTable } from './judge-rooms.ts'

/** The rooms inside `http`: every API uses the pipeline, which knows none of them. */
const HTTP: RoomTable = {
  folder: 'packages/server/src/http',
  levels: [
    ['routes.ts'],
    ['management', 'client', 'hosted', 'console', 'openapi'],
    ['shared'],
    ['pipeline'],
    ['api-paths.ts'],
  ],
  file: 'tools/check/imports/http-rooms.ts',
}

/** The APIs stand on the pipeline, never it on one of them, nor they on each other; types included. */
export const httpRooms: Check = {
  name: 'http rooms',
  planted: {
    folder: 'imports/http-rooms',
    expect: [
      'pipeline/errors.ts: pipeline may not import hosted: move what it needs to the right of pipeline',
      'management/list.ts: management may not import client: move what it needs to the right of both',
      'shared/view.ts: shared may not import routes.ts',
      'packages/server/src/http/stranger is not in the table',
    ],
  },
  look(base) {
    const graph = loadImportGraph(base, `${HTTP.folder}/`)
    return { looked: graph.edges.length, problems: judgeRooms(graph, HTTP) }
  },
}
