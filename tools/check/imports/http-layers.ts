import type { Check } from '../check.ts'
import { findLayerViolations, type LayerTable } from './find-layer-violations.ts'
import { loadImportGraph } from './import-graph.ts'

/** The layers of `http`. */
const HTTP: LayerTable = {
  folder: 'packages/server/src/http',
  layers: [
    ['routes.ts'],
    ['management', 'client', 'hosted', 'oidc', 'scim', 'console', 'openapi'],
    ['shared'],
    ['pipeline'],
    ['api-paths.ts'],
  ],
  file: 'tools/check/imports/http-layers.ts',
}

/** APIs may import the pipeline, but the pipeline no API and no API another one. Type imports count. */
export const httpLayers: Check = {
  name: 'http layers',
  planted: {
    folder: 'imports/http-rooms',
    expect: [
      'pipeline/errors.ts: pipeline may not import hosted: move the shared code below pipeline',
      'management/list.ts: management may not import client: move the shared code below both',
      'shared/view.ts: shared may not import routes.ts',
      'packages/server/src/http/stranger is not in the table',
    ],
  },
  look(base) {
    const graph = loadImportGraph(base, `${HTTP.folder}/`)
    return { looked: graph.edges.length, problems: findLayerViolations(graph, HTTP) }
  },
}
