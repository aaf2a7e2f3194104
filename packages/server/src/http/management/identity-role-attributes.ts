import { ROLE_ATTRIBUTE_FILTER } from '../../store/filter-tables.ts'
import { MANAGEMENT } from '../api-paths.ts'
import type { ControllerContext } from '../controller-context.ts'
import { listAnswer } from '../pipeline/list-answer.ts'
import type { Route } from '../pipeline/route.ts'

/** Every attribute that some identity has, as text. */
export function identityRoleAttributeRoutes({ store }: ControllerContext): Route[] {
  const show = (rows: readonly { id: string }[]) => rows.map(({ id }) => JSON.stringify(id))
  return [
    {
      method: 'GET',
      paths: [`${MANAGEMENT}/identity-role-attributes`],
      access: { entity: 'identity', action: 'read' },
      bodyCap: 'management',
      body: null,
      handle: ({ query }) => listAnswer({ store, table: ROLE_ATTRIBUTE_FILTER, show }, query),
    },
  ]
}
