import { notFound } from '../../store/not-found.ts'
import { MANAGEMENT } from '../api-paths.ts'
import type { ControllerContext } from '../controller-context.ts'
import { detail, selfLink, timestamp } from '../pipeline/envelope.ts'
import { memoryListAnswer, namedThings } from '../pipeline/memory-list.ts'
import type { Route } from '../pipeline/route.ts'
import { idOf } from './resource-routes.ts'

/** `Router` is for what a controller of the whole overlay makes itself; here every identity is of the first. */
const TYPES = ['Default', 'Router']

const FILTER = namedThings()

/** The kinds of identities that existing clients show by name. */
export function identityTypeRoutes({ startedAt }: Pick<ControllerContext, 'startedAt'>): Route[] {
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
  const row = (path: string, handle: Route['handle']): Route => ({
    method: 'GET',
    paths: [`${MANAGEMENT}/${path}`],
    access: 'any-session',
    bodyCap: 'management',
    body: null,
    handle,
  })
  return [
    row('identity-types', ({ query }) => memoryListAnswer({ options: FILTER, rows: TYPES, read, show }, query)),
    row('identity-types/:id', (call) => {
      const type = TYPES.find((known) => known === idOf(call))
      if (!type) throw notFound('identityType', idOf(call))
      return detail(show(type))
    }),
  ]
}
