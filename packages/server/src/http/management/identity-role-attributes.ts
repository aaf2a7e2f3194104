import { ROLE_ATTRIBUTE_FILTER } from '../../store/filter-tables.ts'
import type { Store } from '../../store/store.ts'
import { MANAGEMENT } from '../api-paths.ts'
import { listResponse } from '../pipeline/list-response.ts'
import type { Route } from '../pipeline/route.ts'
import { describe } from '../pipeline/route-note.ts'

interface IdentityRoleAttributeRouteParts {
  readonly store: Store
}

/** The attributes that at least one identity has, as text. */
export function identityRoleAttributeRoutes({ store }: IdentityRoleAttributeRouteParts): Route[] {
  const show = (rows: readonly { id: string }[]) => rows.map(({ id }) => JSON.stringify(id))
  return [
    {
      method: 'GET',
      paths: [`${MANAGEMENT}/identity-role-attributes`],
      access: { entity: 'identity', action: 'read' },
      bodyCap: 'management',
      body: null,
      note: describe.list('text', 'List the attributes of all identities'),
      handle: (call) => listResponse({ store, table: ROLE_ATTRIBUTE_FILTER, show }, call),
    },
  ]
}
