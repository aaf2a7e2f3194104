import { loadYaml } from '../../platform/load-yaml.ts'
import type { Route } from '../pipeline/route.ts'
import { buildDocument, type DocumentId, type OpenApiDocument } from './build-document.ts'
import { buildHostedDocument } from './build-hosted-document.ts'

/** The OpenAPI document of each API, built on first use. */
export interface ApiDocuments {
  document(id: DocumentId): OpenApiDocument
  yaml(id: DocumentId): Buffer
  json(id: DocumentId): Buffer
}

export function createApiDocuments(routes: () => readonly Route[]): ApiDocuments {
  const document = memoize((id) => buildApiDocument(id, routes()))
  return {
    document,
    yaml: memoize((id) => Buffer.from(toYaml(document(id)))),
    json: memoize((id) => Buffer.from(`${JSON.stringify(document(id), null, 2)}\n`)),
  }
}

/** The OpenAPI document of an API, built from its routes. */
export function buildApiDocument(id: DocumentId, routes: readonly Route[]): OpenApiDocument {
  return id === 'hosted' ? buildHostedDocument(routes) : buildDocument(id, routes)
}

/** The document as it is in the repository and served by `/specs`. */
export function toYaml(document: OpenApiDocument): string {
  return loadYaml().stringify(document, { aliasDuplicateObjects: false, lineWidth: 120 })
}

function memoize<Value>(make: (id: DocumentId) => Value): (id: DocumentId) => Value {
  const values = new Map<DocumentId, Value>()
  return (id) => {
    const known = values.get(id)
    if (known !== undefined) return known
    const fresh = make(id)
    values.set(id, fresh)
    return fresh
  }
}
