import { notFound } from '../../store/not-found.ts'
import { onBothApis } from '../api-paths.ts'
import type { ControllerContext } from '../controller-context.ts'
import type { Call } from '../pipeline/call.ts'
import { detail, selfLink, timestamp } from '../pipeline/envelope.ts'
import type { Route } from '../pipeline/route.ts'
import type { ApiDocuments } from './api-documents.ts'
import { isSpecId, SPECS, type SpecId } from './build-document.ts'

const YAML_TYPE = 'text/yaml; charset=utf-8'

/** The descriptions of the APIs, where existing clients look for them. */
export function specRoutes({ startedAt }: Pick<ControllerContext, 'startedAt'>, documents: ApiDocuments): Route[] {
  const show = (id: SpecId) => ({
    _links: { ...selfLink('specs', id), spec: { href: `./specs/${id}/spec` } },
    id,
    createdAt: timestamp(startedAt),
    updatedAt: timestamp(startedAt),
    tags: {},
    name: id,
  })
  const row = (path: string, handle: Route['handle'], produces?: string): Route => ({
    method: 'GET',
    paths: onBothApis(path),
    access: 'anonymous',
    rate: 'none',
    bodyCap: 'anonymous',
    body: null,
    ...(produces !== undefined && { produces }),
    handle,
  })
  return [
    row('/specs', () => detail((Object.keys(SPECS) as SpecId[]).map(show))),
    row('/specs/:id', (call) => detail(show(specOf(call)))),
    row(
      '/specs/:id/spec',
      (call) => ({ status: 200, bytes: { content: documents.yaml(specOf(call)), type: YAML_TYPE } }),
      YAML_TYPE,
    ),
  ]
}

function specOf({ params: { id = '' } }: Call): SpecId {
  if (!isSpecId(id)) throw notFound('spec', id)
  return id
}
