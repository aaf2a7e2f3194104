import {
  type AdministrationTest,
  IdentityProviderPatch,
  IdentityProviderWrite,
  type IdentityProviderPatch as PatchBody,
  type IdentityProviderWrite as WriteBody,
} from '@countersign/contract'
import type { AccountClients } from '../../hosted/account-clients.ts'
import { ProviderRecords, type ProviderRecordsParts } from '../../hosted/provider-records.ts'
import type { TargetOrganizations } from '../../hosted/target-organization.ts'
import { deleteProvider } from '../../operations/identity-provider/delete-provider.ts'
import { noteProviderTest } from '../../operations/identity-provider/note-provider-test.ts'
import type { Clock } from '../../platform/clock.ts'
import type { OwnedKey } from '../../store/owned-key.ts'
import { getProvider, listProviders } from '../../store/reads/provider-reads.ts'
import { withVersion } from '../pipeline/envelope.ts'
import { hostedCallerOf, type Route, type RouteResponse } from '../pipeline/route.ts'
import { hostedMeta } from './hosted-meta.ts'
import { PROVIDER_READ_ONLY, providerView } from './identity-views.ts'
import { ownedKeyOf } from './owned-key-of.ts'

interface IdentityProviderRouteParts extends ProviderRecordsParts {
  readonly clock: Clock
  readonly targetOrganizations: Pick<TargetOrganizations, 'getId'>
  readonly accountClients: Pick<AccountClients, 'test'>
}

const READ = { hosted: 'read' } as const
const ADMIN = { hosted: 'admin' } as const
const COLLECTION = '/identity/v1/identity-providers'
const ONE = `${COLLECTION}/:id`

/** The identity providers whose tokens an organization trusts. */
export function identityProviderRoutes(parts: IdentityProviderRouteParts): Route[] {
  const { store, clock, targetOrganizations, accountClients } = parts
  const records = new ProviderRecords(parts)

  const show = async ({ id, organizationId }: OwnedKey, status = 200): Promise<RouteResponse> => {
    const provider = await getProvider(store.db, organizationId, id)
    return withVersion({ status, json: providerView(provider) }, provider.updatedAt)
  }

  const base = { bodyCap: 'management', body: null, note: null } as const
  return [
    {
      ...base,
      method: 'GET',
      paths: [COLLECTION],
      access: READ,
      handle: async (call) => {
        const providers = await listProviders(store.db, hostedCallerOf(call).organizationId)
        return { status: 200, json: providers.map(providerView) }
      },
    },
    {
      ...base,
      method: 'GET',
      paths: [ONE],
      access: READ,
      handle: (call) => show(ownedKeyOf(call)),
    },
    {
      ...base,
      method: 'POST',
      paths: [COLLECTION],
      access: ADMIN,
      body: { schema: IdentityProviderWrite, optional: false, readOnly: PROVIDER_READ_ONLY },
      handle: async (call) => {
        const body = call.body as WriteBody
        const organizationId = await targetOrganizations.getId(hostedCallerOf(call), body.organizationId)
        const id = await records.create(organizationId, body, hostedMeta(call, clock.now()))
        return show({ id, organizationId }, 201)
      },
    },
    {
      ...base,
      method: 'PUT',
      paths: [ONE],
      access: ADMIN,
      body: { schema: IdentityProviderWrite, optional: false, readOnly: PROVIDER_READ_ONLY },
      handle: async (call) => {
        await records.replace(ownedKeyOf(call), call.body as WriteBody, hostedMeta(call, clock.now()))
        return show(ownedKeyOf(call))
      },
    },
    {
      ...base,
      method: 'PATCH',
      paths: [ONE],
      access: ADMIN,
      body: { schema: IdentityProviderPatch, optional: false, readOnly: PROVIDER_READ_ONLY },
      handle: async (call) => {
        await records.patch(ownedKeyOf(call), call.body as PatchBody, hostedMeta(call, clock.now()))
        return show(ownedKeyOf(call))
      },
    },
    {
      ...base,
      method: 'POST',
      paths: [`${ONE}/test`],
      access: ADMIN,
      handle: async (call) => {
        const { id, organizationId } = ownedKeyOf(call)
        await store.run(noteProviderTest, { id, organizationId }, hostedMeta(call, clock.now()))
        const record = await getProvider(store.db, organizationId, id)
        const checks = await accountClients.test(record)
        const kind = record.administration?.kind ?? 'manual'
        const json: AdministrationTest = { ok: checks.every(({ ok }) => ok), kind, checks }
        return { status: 200, json }
      },
    },
    {
      ...base,
      method: 'DELETE',
      paths: [ONE],
      access: ADMIN,
      handle: async (call) => {
        await store.run(deleteProvider, ownedKeyOf(call), hostedMeta(call, clock.now()))
        return { status: 204 }
      },
    },
  ]
}
