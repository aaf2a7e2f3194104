import {
  ApiAccountCreate,
  ApiAccountPatch,
  ApiAccountRotate,
  ApiAccountWrite,
  type ApiAccountCreate as CreateBody,
  type ApiAccountPatch as PatchBody,
  type ApiAccountRotate as RotateBody,
  type ApiAccountWrite as WriteBody,
} from '@countersign/contract'
import type { Credentials } from '../../hosted/account-clients.ts'
import type { ApiAccounts } from '../../hosted/api-accounts.ts'
import type { ClientBindings } from '../../hosted/client-bindings.ts'
import type { PlannedRotations } from '../../hosted/planned-rotations.ts'
import type { TargetOrganizations } from '../../hosted/target-organization.ts'
import type { Clock } from '../../platform/clock.ts'
import { getAccount, listAccounts } from '../../store/reads/account-reads.ts'
import type { Store } from '../../store/store.ts'
import type { Call } from '../pipeline/call.ts'
import { withVersion } from '../pipeline/envelope.ts'
import { hostedCallerOf, type Route, type RouteResponse } from '../pipeline/route.ts'
import { hostedMeta } from './hosted-meta.ts'
import { identityList, readListPart } from './identity-list.ts'
import { ACCOUNT_READ_ONLY, accountView } from './identity-views.ts'
import { ownedKeyOf } from './owned-key-of.ts'
import { readsOfCaller } from './reads-of-caller.ts'

interface ApiAccountRouteParts {
  readonly store: Pick<Store, 'db' | 'dialect' | 'readLong' | 'run'>
  readonly clock: Clock
  readonly apiAccounts: ApiAccounts
  readonly plannedRotations: Pick<PlannedRotations, 'pickUp'>
  readonly clientBindings: ClientBindings
  readonly targetOrganizations: Pick<TargetOrganizations, 'getId'>
}

const READ = { hosted: 'read' } as const
const ADMIN = { hosted: 'admin' } as const
const COLLECTION = '/identity/v1/api-account-identities'
const ONE = `${COLLECTION}/:id`

/** Whether the caller confirms conditions that others at the issuer would meet. */
function isBroadConfirmed({ query }: Pick<Call, 'query'>): boolean {
  return query.get('confirmBroad') === 'true'
}

/** The API accounts of an organization. Each is registered at its identity provider, and its secret is shown once. */
export function apiAccountRoutes(parts: ApiAccountRouteParts): Route[] {
  const { store, clock, apiAccounts, plannedRotations, clientBindings, targetOrganizations } = parts

  const respond = async (
    organizationId: string,
    id: string,
    { status, credentials }: { status: number; credentials?: Credentials | undefined },
  ): Promise<RouteResponse> => {
    const found = await getAccount(store.db, organizationId, id)
    const json = { ...accountView(found), ...(credentials && { credentials }) }
    return withVersion({ status, json }, found.account.updated_at)
  }

  const base = { bodyCap: 'management', body: null, note: null } as const
  return [
    {
      ...base,
      method: 'GET',
      paths: [COLLECTION],
      access: READ,
      handle: (call) => {
        const caller = hostedCallerOf(call)
        const part = readListPart(call.query)
        const read = () => listAccounts(readsOfCaller(store, caller), caller.organizationId, part)
        return identityList(caller, read, accountView)
      },
    },
    {
      ...base,
      method: 'GET',
      paths: [ONE],
      access: READ,
      handle: (call) => respond(hostedCallerOf(call).organizationId, call.params.id ?? '', { status: 200 }),
    },
    {
      ...base,
      method: 'POST',
      paths: [COLLECTION],
      access: ADMIN,
      body: { schema: ApiAccountCreate, optional: false, readOnly: ACCOUNT_READ_ONLY },
      handle: async (call) => {
        const body = call.body as CreateBody
        const caller = hostedCallerOf(call)
        const organizationId = await targetOrganizations.getId(caller, body.organizationId)
        const bind = await clientBindings.of(caller)
        const meta = hostedMeta(call, clock.now())
        const { id, credentials } = await apiAccounts.create(organizationId, body, bind, meta, isBroadConfirmed(call))
        return respond(organizationId, id, { status: 201, credentials })
      },
    },
    {
      ...base,
      method: 'PUT',
      paths: [ONE],
      access: ADMIN,
      body: { schema: ApiAccountWrite, optional: false, readOnly: ACCOUNT_READ_ONLY },
      handle: async (call) => {
        const { id, organizationId } = ownedKeyOf(call)
        const body = call.body as WriteBody
        const meta = hostedMeta(call, clock.now())
        await apiAccounts.replace({ id, organizationId }, body, meta, isBroadConfirmed(call))
        return respond(organizationId, id, { status: 200 })
      },
    },
    {
      ...base,
      method: 'PATCH',
      paths: [ONE],
      access: ADMIN,
      body: { schema: ApiAccountPatch, optional: false, readOnly: ACCOUNT_READ_ONLY },
      handle: async (call) => {
        const { id, organizationId } = ownedKeyOf(call)
        const body = call.body as PatchBody
        const meta = hostedMeta(call, clock.now())
        await apiAccounts.patch({ id, organizationId }, body, meta, isBroadConfirmed(call))
        return respond(organizationId, id, { status: 200 })
      },
    },
    {
      ...base,
      method: 'POST',
      paths: [`${ONE}/rotate`],
      access: ADMIN,
      body: { schema: ApiAccountRotate, optional: true },
      handle: async (call) => {
        const { id, organizationId } = ownedKeyOf(call)
        const body = (call.body ?? {}) as RotateBody
        const bind = await clientBindings.of(hostedCallerOf(call))
        const { credentials } = await apiAccounts.rotate(organizationId, id, body, bind, hostedMeta(call, clock.now()))
        return respond(organizationId, id, { status: 200, credentials })
      },
    },
    {
      ...base,
      method: 'POST',
      paths: [`${ONE}/pick-up`],
      // The account itself, and administrators: the operation decides.
      access: READ,
      handle: async (call) => {
        const { id, organizationId } = ownedKeyOf(call)
        const credentials = await plannedRotations.pickUp({ id, organizationId }, hostedMeta(call, clock.now()))
        return respond(organizationId, id, { status: 200, credentials })
      },
    },
    {
      ...base,
      method: 'DELETE',
      paths: [ONE],
      access: ADMIN,
      handle: async (call) => {
        const { id, organizationId } = ownedKeyOf(call)
        await apiAccounts.remove(organizationId, id, hostedMeta(call, clock.now()))
        return { status: 204 }
      },
    },
  ]
}
