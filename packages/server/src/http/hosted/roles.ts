import { derivedUuid, matchesName } from '@countersign/core'
import { notFound } from '../../store/not-found.ts'
import type { ControllerContext } from '../controller-context.ts'
import type { Call } from '../pipeline/call.ts'
import { hostedCallerOf, type Route } from '../pipeline/route.ts'
import { identitiesOf } from './identities.ts'

const READ = { hosted: 'read' } as const

/** What accounts can be. The ids are the same everywhere and always. */
const ROLES = [
  {
    role: 'admin',
    code: 'organization-admin',
    name: 'Organization admin',
    description: 'reads and changes everything of the organization',
  },
  {
    role: 'read-only',
    code: 'organization-read-only',
    name: 'Organization read-only',
    description: 'reads everything of the organization',
  },
].map(({ role, ...shown }) => ({ role, shown: { id: derivedUuid('role', shown.code), ...shown } }))

/** The roles of an organization. Accounts carry theirs in `role`; who is asked about with `identityId` has that one. */
export function roleRoutes(context: ControllerContext): Route[] {
  const rolesFor = async (call: Call) => {
    const { query } = call
    const identityId = query.get('identityId')
    const name = query.get('nameLike')
    const description = query.get('descriptionLike')
    const identities = identityId ? await identitiesOf(context, hostedCallerOf(call).organizationId) : []
    const identity = identities.find(({ id }) => id === identityId)
    return ROLES.filter(
      ({ role, shown }) =>
        (!identityId || identity?.role === role) &&
        (!name || matchesName(name, shown.name)) &&
        (!description || matchesName(description, shown.description)),
    ).map(({ shown }) => shown)
  }

  const base = { method: 'GET', access: READ, bodyCap: 'management', body: null } as const
  return [
    {
      ...base,
      paths: ['/auth/v1/roles'],
      handle: async (call) => {
        const content = await rolesFor(call)
        const page = { size: ROLES.length, totalElements: content.length, totalPages: 1, number: 0 }
        return { status: 200, json: { content, page } }
      },
    },
    {
      ...base,
      paths: ['/auth/v1/roles/:id'],
      handle: ({ params: { id = '' } }) => {
        const found = ROLES.find(({ shown }) => shown.id === id)
        if (!found) throw notFound('role', id)
        return { status: 200, json: found.shown }
      },
    },
  ]
}
