import { notFound } from '../../store/not-found.ts'
import { onBothApis } from '../api-paths.ts'
import type { Call } from '../pipeline/call.ts'
import { detail, selfLink, timestamp } from '../pipeline/envelope.ts'
import type { Route } from '../pipeline/route.ts'
import { describe, type RouteNote } from '../pipeline/route-note.ts'
import type { ApiDocuments } from './api-documents.ts'
import { isSpecId, SPECS, type SpecId } from './build-document.ts'

const YAML_TYPE = 'text/yaml'
const JSON_TYPE = 'application/json'

interface SpecRouteParts {
  /** When this controller was created, in milliseconds since 1970. */
  readonly startedAt: number
}

/** The OpenAPI documents, at the paths that existing clients use. */
export function specRoutes({ startedAt }: SpecRouteParts, documents: ApiDocuments): Route[] {
  const show = (id: SpecId) => ({
    _links: { ...selfLink('specs', id), spec: { href: `./specs/${id}/spec` } },
    id,
    createdAt: timestamp(startedAt),
    updatedAt: timestamp(startedAt),
    tags: {},
    name: id,
  })
  const row = (path: string, note: RouteNote, handle: Route['handle'], produces?: string): Route => ({
    method: 'GET',
    paths: onBothApis(path),
    access: 'anonymous',
    rate: 'none',
    bodyCap: 'anonymous',
    body: null,
    note,
    ...(produces !== undefined && { produces }),
    handle,
  })
  return [
    row('/specs', describe.wholeList('Specification', 'List the OpenAPI documents'), ({ isClientApi }) =>
      detail(isClientApi ? [show('edge-client')] : (Object.keys(SPECS) as SpecId[]).map(show)),
    ),
    row('/specs/:id', describe.one('Specification', 'Get an entry of the list of OpenAPI documents'), (call) =>
      detail(show(specOf(call))),
    ),
    row(
      '/specs/:id/spec',
      describe.other('An OpenAPI 3.1 document', 'Get an OpenAPI document', { isAlsoJson: true }),
      (call) => {
        const id = specOf(call)
        const bytes = prefersJson(call)
          ? { content: documents.json(id), type: JSON_TYPE }
          : { content: documents.yaml(id), type: YAML_TYPE }
        return { status: 200, bytes }
      },
      YAML_TYPE,
    ),
  ]
}

/** Whether `Accept` names JSON before YAML. Quality values are ignored. */
function prefersJson(call: Call): boolean {
  const accepted = call.untrustedHeaderLines('accept').join(',').toLowerCase()
  const types = accepted.split(',').map((range) => range.split(';', 1)[0]?.trim())
  return types.find((type) => type === JSON_TYPE || type === YAML_TYPE) === JSON_TYPE
}

function specOf({ params: { id = '' } }: Call): SpecId {
  if (!isSpecId(id)) throw notFound('spec', id)
  return id
}
