import { derivedUuid } from '@countersign/core'
import { notFound } from '../../store/not-found.ts'
import type { Route } from '../pipeline/route.ts'

const READ = { hosted: 'read' } as const

/** What accounts can be. The ids are the same everywhere and always. */
const ROLES = [
  {
    code: 'organization-admin',
    name: 'Organization admin',
    description: 'reads and changes everything of the organization',
  },
  {
    code: 'organization-read-only',
    name: 'Organization read-only',
    description: 'reads everything of the organization',
  },
].map((role) => ({ id: derivedUuid('role', role.code), ...role }))

/** The roles of an organization. Accounts carry theirs in `role`. */
export function roleRoutes(): Route[] {
  const base = { method: 'GET', access: READ, bodyCap: 'management', body: null } as const
  return [
    {
      ...base,
      paths: ['/auth/v1/roles'],
      handle: () => ({
        status: 200,
        json: { content: ROLES, page: { size: ROLES.length, totalElements: ROLES.length, totalPages: 1, number: 0 } },
      }),
    },
    {
      ...base,
      paths: ['/auth/v1/roles/:id'],
      handle: ({ params: { id = '' } }) => {
        const role = ROLES.find((one) => one.id === id)
        if (!role) throw notFound('role', id)
        return { status: 200, json: role }
      },
    },
  ]
}
