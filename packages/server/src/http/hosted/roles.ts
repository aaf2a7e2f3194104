import { SHOWN_OPERATOR_ROLES, SHOWN_ROLES, type ShownRole } from '@countersign/contract'
import { derivedUuid } from '@countersign/core'
import type { LocalOrganization } from '../../hosted/local-organization.ts'
import { notFound } from '../../store/not-found.ts'
import type { Call } from '../pipeline/call.ts'
import { hostedCallerOf, type Route } from '../pipeline/route.ts'
import { findHostedIdentity, type HostedIdentityParts } from './identities.ts'
import { readNameMatcher } from './name-pattern.ts'

const READ = { hosted: 'read' } as const

/** The roles of accounts, sorted by name. Their ids are derived from the codes, so they are the same on every controller. */
const viewsOf = (roles: readonly ShownRole[]) =>
  roles.map((role) => ({ id: derivedUuid('role', role.code), ...role })).toSorted((a, b) => (a.name < b.name ? -1 : 1))

const ROLES = viewsOf(SHOWN_ROLES)
const OPERATOR_ROLES = viewsOf(SHOWN_OPERATOR_ROLES)

interface RoleRouteParts extends HostedIdentityParts {
  readonly localOrganization: Pick<LocalOrganization, 'id'>
}

/** The roles of an organization. With `identityId` only the role of that identity is listed. */
export function roleRoutes(parts: RoleRouteParts): Route[] {
  const rolesOf = async (organizationId: string) =>
    organizationId === (await parts.localOrganization.id()) ? OPERATOR_ROLES : ROLES

  const rolesFor = async (call: Call) => {
    const { query } = call
    const identityId = query.get('identityId')
    const isName = readNameMatcher(query, 'nameLike')
    const isDescription = readNameMatcher(query, 'descriptionLike')
    const { organizationId } = hostedCallerOf(call)
    const identity = identityId ? await findHostedIdentity(parts, organizationId, identityId) : undefined
    return (await rolesOf(organizationId)).filter(
      ({ role, name, description }) =>
        (!identityId || identity?.view.role === role) && isName(name) && isDescription(description),
    )
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
      handle: async (call) => {
        const { id = '' } = call.params
        const found = (await rolesOf(hostedCallerOf(call).organizationId)).find((role) => role.id === id)
        if (!found) throw notFound('role', id)
        return { status: 200, json: found }
      },
    },
  ]
}
