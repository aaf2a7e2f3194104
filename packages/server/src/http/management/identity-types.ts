import { notFound } from '../../store/not-found.ts'
import { MANAGEMENT } from '../api-paths.ts'
import { detail, selfLink, timestamp } from '../pipeline/envelope.ts'
import { entityFilterOptions, memoryListResponse } from '../pipeline/memory-list-response.ts'
import type { Route } from '../pipeline/route.ts'
import { describe, type RouteNote } from '../pipeline/route-note.ts'
import { idOf } from './resource-routes.ts'

/** Every identity here is a `Default`. `Router` is for identities that the controller of a whole overlay creates itself. */
const TYPES = ['Default', 'Router']

const FILTER = entityFilterOptions()

interface IdentityTypeRouteParts {
  /** When this controller was created, in milliseconds since 1970. */
  readonly startedAt: number
}

/** The identity types, which existing clients show by name. */
export function identityTypeRoutes({ startedAt }: IdentityTypeRouteParts): Route[] {
  const show = (type: string) => ({
    _links: selfLink('identity-types', type),
    id: type,
    createdAt: timestamp(startedAt),
    updatedAt: timestamp(startedAt),
    tags: {},
    name: type,
  })
  const read = (type: string) => {
    const values: Readonly<Record<string, unknown>> = {
      id: type,
      name: type,
      createdAt: startedAt,
      updatedAt: startedAt,
      isSystem: false,
    }
    return (symbol: string) => values[symbol]
  }
  const row = (path: string, note: RouteNote, handle: Route['handle']): Route => ({
    method: 'GET',
    paths: [`${MANAGEMENT}/${path}`],
    access: 'any-session',
    bodyCap: 'management',
    body: null,
    note,
    handle,
  })
  return [
    row('identity-types', describe.list('IdentityType', 'List the identity types'), (call) =>
      memoryListResponse({ options: FILTER, rows: TYPES, read, show }, call),
    ),
    row('identity-types/:id', describe.one('IdentityType', 'Get an identity type'), (call) => {
      const type = TYPES.find((known) => known === idOf(call))
      if (!type) throw notFound('identityType', idOf(call))
      return detail(show(type))
    }),
  ]
}
