import { randomUUID } from 'node:crypto'
import {
  OrganizationPatch,
  OrganizationWrite,
  type OrganizationPatch as PatchBody,
  type OrganizationWrite as WriteBody,
} from '@countersign/contract'
import { AppError } from '@countersign/core'
import type { TargetOrganizations } from '../../hosted/target-organization.ts'
import { createOrganization } from '../../operations/organization/create-organization.ts'
import { deleteOrganization } from '../../operations/organization/delete-organization.ts'
import { updateOrganization } from '../../operations/organization/update-organization.ts'
import type { Clock } from '../../platform/clock.ts'
import { notFound } from '../../store/not-found.ts'
import { findOrganization, getOrganization } from '../../store/reads/organization-reads.ts'
import { listProviders } from '../../store/reads/provider-reads.ts'
import type { Store } from '../../store/store.ts'
import type { Call } from '../pipeline/call.ts'
import { withVersion } from '../pipeline/envelope.ts'
import { hostedCallerOf, type Route, type RouteResponse } from '../pipeline/route.ts'
import { hostedMeta } from './hosted-meta.ts'
import { ORGANIZATION_READ_ONLY, organizationView } from './identity-views.ts'
import { readNameMatcher } from './name-pattern.ts'

interface OrganizationRouteParts {
  readonly store: Pick<Store, 'db' | 'run'>
  readonly clock: Clock
  readonly targetOrganizations: Pick<TargetOrganizations, 'getId'>
}

const READ = { hosted: 'read' } as const
const ADMIN = { hosted: 'admin' } as const
const COLLECTION = '/identity/v1/organizations'
const ONE = `${COLLECTION}/:id`

/** Organizations. Callers see their own only; those of the organization that owns this controller may create others. */
export function organizationRoutes({ store, clock, targetOrganizations }: OrganizationRouteParts): Route[] {
  const show = async (id: string, status = 200): Promise<RouteResponse> => {
    const row = await getOrganization(store.db, id)
    return withVersion({ status, json: organizationView(row, await listProviders(store.db, id)) }, row.updated_at)
  }

  const showOwn = (call: Call): Promise<RouteResponse> => show(hostedCallerOf(call).organizationId)

  const listOwn = async (call: Call): Promise<RouteResponse> => {
    const isWanted = readNameMatcher(call.query, 'name')
    const { organizationId } = hostedCallerOf(call)
    const own = await getOrganization(store.db, organizationId)
    if (!isWanted(own.name)) return { status: 200, json: [] }
    return { status: 200, json: [organizationView(own, await listProviders(store.db, organizationId))] }
  }

  const update = async (call: Call, body: PatchBody): Promise<RouteResponse> => {
    const id = await targetOrganizations.getId(hostedCallerOf(call), call.params.id)
    await store.run(updateOrganization, { id, body }, hostedMeta(call, clock.now()))
    return show(id)
  }

  const base = { bodyCap: 'management', body: null, note: null } as const
  return [
    { ...base, method: 'GET', paths: [COLLECTION, '/identity/v1/tenants'], access: READ, handle: listOwn },
    { ...base, method: 'GET', paths: ['/identity/v1/organization'], access: READ, handle: showOwn },
    {
      ...base,
      method: 'GET',
      paths: [ONE],
      access: READ,
      handle: async (call) => {
        const { id = '' } = call.params
        if (id !== hostedCallerOf(call).organizationId) throw notFound('organization', id)
        return showOwn(call)
      },
    },
    {
      ...base,
      method: 'POST',
      paths: [COLLECTION],
      access: ADMIN,
      body: { schema: OrganizationWrite, optional: false, readOnly: ORGANIZATION_READ_ONLY },
      handle: async (call) => {
        const { organizationId } = hostedCallerOf(call)
        const own = await findOrganization(store.db, organizationId)
        if (!own?.is_local)
          throw new AppError('FORBIDDEN', {
            message: 'only the organization that owns the controller can add organizations',
          })
        const organization = { id: randomUUID(), networkGroupId: randomUUID(), body: call.body as WriteBody }
        await store.run(createOrganization, organization, hostedMeta(call, clock.now()))
        return show(organization.id, 201)
      },
    },
    {
      ...base,
      method: 'PUT',
      paths: [ONE],
      access: ADMIN,
      body: { schema: OrganizationWrite, optional: false, readOnly: ORGANIZATION_READ_ONLY },
      handle: (call) => update(call, call.body as WriteBody),
    },
    {
      ...base,
      method: 'PATCH',
      paths: [ONE],
      access: ADMIN,
      body: { schema: OrganizationPatch, optional: false, readOnly: ORGANIZATION_READ_ONLY },
      handle: (call) => update(call, call.body as PatchBody),
    },
    {
      ...base,
      method: 'DELETE',
      paths: [ONE],
      access: ADMIN,
      handle: async (call) => {
        const id = await targetOrganizations.getId(hostedCallerOf(call), call.params.id)
        await store.run(deleteOrganization, { id }, hostedMeta(call, clock.now()))
        return { status: 204 }
      },
    },
  ]
}
