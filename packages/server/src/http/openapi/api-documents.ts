import { loadYaml } from '../../platform/load-yaml.ts'
import type { Route } from '../pipeline/route.ts'
import { buildDocument, type OpenApiDocument, type SpecId } from './build-document.ts'

/** The OpenAPI document of each API, built on first use. */
export interface ApiDocuments {
  document(id: SpecId): OpenApiDocument
  yaml(id: SpecId): Buffer
  json(id: SpecId): Buffer
}

export function createApiDocuments(routes: () => readonly Route[]): ApiDocuments {
  const document = memoize((id) => buildDocument(id, routes()))
  return {
    document,
    yaml: memoize((id) => Buffer.from(toYaml(document(id)))),
    json: memoize((id) => Buffer.from(`${JSON.stringify(document(id), null, 2)}\n`)),
  }
}

/** The document as it is in the repository and served by `/specs`. */
export function toYaml(document: OpenApiDocument): string {
  return loadYaml().stringify(document, { aliasDuplicateObjects: false, lineWidth: 120 })
}

function memoize<Value>(make: (id: SpecId) => Value): (id: SpecId) => Value {
  const values = new Map<SpecId, Value>()
  return (id) => {
    const known = values.get(id)
    if (known !== undefined) return known
    const fresh = make(id)
    values.set(id, fresh)
    return fresh
  }
}
