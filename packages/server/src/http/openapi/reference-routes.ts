import { readFileSync } from 'node:fs'
import { PAGE_HEADERS } from '../pipeline/page-headers.ts'
import type { Route } from '../pipeline/route.ts'
import type { ApiDocuments } from './api-documents.ts'
import { DOCUMENT_IDS, type DocumentId } from './build-document.ts'
import { renderReference } from './render-reference.ts'

const HTML = 'text/html; charset=utf-8'
const JSON_TYPE = 'application/json'
const YAML_TYPE = 'text/yaml'
const FILES = [
  { file: 'page.css', type: 'text/css; charset=utf-8' },
  { file: 'page.js', type: 'text/javascript; charset=utf-8' },
]

/** The API reference as HTML pages, and the OpenAPI documents behind it as JSON and YAML. */
export function referenceRoutes(documents: ApiDocuments): Route[] {
  const row = (path: string, type: string, content: () => Buffer): Route => ({
    method: 'GET',
    paths: [`/api-docs/${path}`],
    access: 'anonymous',
    rate: 'none',
    bodyCap: 'anonymous',
    body: null,
    produces: type,
    note: null,
    handle: () => ({ status: 200, headers: PAGE_HEADERS, bytes: { content: content(), type } }),
  })
  const pages = new Map<DocumentId, Buffer>()
  const page = (id: DocumentId): Buffer => {
    const known = pages.get(id) ?? Buffer.from(renderReference(id, documents.document(id)))
    pages.set(id, known)
    return known
  }
  return [
    row('', HTML, () => page('edge-management')),
    ...DOCUMENT_IDS.flatMap((id) => [
      row(id, HTML, () => page(id)),
      row(`${id}.json`, JSON_TYPE, () => documents.json(id)),
      row(`${id}.yaml`, YAML_TYPE, () => documents.yaml(id)),
    ]),
    ...FILES.map(({ file, type }) => {
      const content = readFileSync(new URL(`./page/${file}`, import.meta.url))
      return row(file, type, () => content)
    }),
  ]
}
