import { derivedUuid } from '@countersign/core'
import { notFound } from '../../store/not-found.ts'
import type { Call } from '../pipeline/call.ts'
import { hostedCallerOf, type Route } from '../pipeline/route.ts'
import { findHostedIdentity, type HostedIdentityParts } from './identities.ts'
import { readNameMatcher } from './name-pattern.ts'

const READ = { hosted: 'read' } as const

/** The roles of accounts. Their ids are derived from the codes, so they are the same on every controller. */
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

/** The roles of an organization. With `identityId` only the role of that identity is listed. */
export function roleRoutes(parts: HostedIdentityParts): Route[] {
  const rolesFor = async (call: Call) => {
    const { query } = call
    const identityId = query.get('identityId')
    const isName = readNameMatcher(query, 'nameLike')
    const isDescription = readNameMatcher(query, 'descriptionLike')
    const { organizationId } = hostedCallerOf(call)
    const identity = identityId ? await findHostedIdentity(parts, organizationId, identityId) : undefined
    return ROLES.filter(
      ({ role, shown }) =>
        (!identityId || identity?.view.role === role) && isName(shown.name) && isDescription(shown.description),
    ).map(({ shown }) => shown)
  }

  const base = { method: 'GET', access: READ, bodyCap: 'management', body: null, note: null } as const
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
