import { loadYaml } from '../../platform/load-yaml.ts'
import type { Route } from '../pipeline/route.ts'
import { buildDocument, type OpenApiDocument, type SpecId } from './build-document.ts'

/** The description of each API, made when it is first asked for. */
export interface ApiDocuments {
  document(id: SpecId): OpenApiDocument
  yaml(id: SpecId): Buffer
  json(id: SpecId): Buffer
}

export function createApiDocuments(routes: () => readonly Route[]): ApiDocuments {
  const document = remembering((id) => buildDocument(id, routes()))
  return {
    document,
    yaml: remembering((id) => Buffer.from(toYaml(document(id)))),
    json: remembering((id) => Buffer.from(`${JSON.stringify(document(id), null, 2)}\n`)),
  }
}

/** The document as the repository holds it and `/specs` serves it. */
export function toYaml(document: OpenApiDocument): string {
  return loadYaml().stringify(document, { aliasDuplicateObjects: false, lineWidth: 120 })
}

function remembering<Made>(make: (id: SpecId) => Made): (id: SpecId) => Made {
  const made = new Map<SpecId, Made>()
  return (id) => {
    const known = made.get(id)
    if (known !== undefined) return known
    const fresh = make(id)
    made.set(id, fresh)
    return fresh
  }
}
