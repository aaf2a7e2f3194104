import { NoMembers } from '@countersign/contract'
import { hostedIdentityId } from '@countersign/core'
import type { HostedCaller } from '../../hosted/hosted-caller.ts'
import type { Clock } from '../../platform/clock.ts'
import { notFound } from '../../store/not-found.ts'
import { type AccountWithClient, findAccount, listAccounts } from '../../store/reads/account-reads.ts'
import { type AdministratorRow, listAdministrators } from '../../store/reads/administrator-reads.ts'
import { findOrganization } from '../../store/reads/organization-reads.ts'
import type { Store } from '../../store/store.ts'
import { withVersion } from '../pipeline/envelope.ts'
import { hostedCallerOf, type Route, type RouteResponse } from '../pipeline/route.ts'
import { identityList, type ListPart, partOf, readListPart } from './identity-list.ts'
import { accountView, administratorView } from './identity-views.ts'
import { readsOfCaller } from './reads-of-caller.ts'

const READ = { hosted: 'read' } as const
const BASE = '/identity/v1'
/** Existing clients try these in turn. Each returns the caller's own record, of either type. */
const SELVES = ['identities', 'api-account-identities', 'user-identities'].map((name) => `${BASE}/${name}/self`)

export interface HostedIdentityParts {
  readonly store: Pick<Store, 'db' | 'dialect' | 'readLong'>
  readonly clock: Clock
}

/** Shows one identity of a list. */
type ShowOne = () => unknown

/** The identities of an organization: its API accounts and, if it owns this controller, the administrators. */
async function identitiesOf(parts: HostedIdentityParts, organizationId: string, part: ListPart | undefined) {
  const read = part && { limit: Math.min(part.offset + part.limit, Number.MAX_SAFE_INTEGER), offset: 0 }
  const accounts = await listAccounts(parts.store, organizationId, read)
  const shown = accounts.map(
    (account): ShowOne =>
      () =>
        accountView(account),
  )
  return [...shown, ...(await administratorsOf(parts, organizationId))]
}

async function administratorsOf(parts: HostedIdentityParts, organizationId: string) {
  const rows = await administratorRowsOf(parts, organizationId)
  return rows.map(
    (row): ShowOne =>
      () =>
        administratorView(row, organizationId, parts.clock.now()),
  )
}

async function administratorRowsOf({ store }: HostedIdentityParts, organizationId: string) {
  const organization = await findOrganization(store.db, organizationId)
  return organization?.is_local ? listAdministrators(store, organizationId) : []
}

/** The API account or administrator with this id, with its version. */
export async function findHostedIdentity(parts: HostedIdentityParts, organizationId: string, id: string) {
  const found = await findAccount(parts.store.db, organizationId, id)
  return found ? versionedAccount(found) : findHostedAdministrator(parts, organizationId, id)
}

async function findHostedAdministrator(parts: HostedIdentityParts, organizationId: string, id: string) {
  const rows = await administratorRowsOf(parts, organizationId)
  const row = rows.find((administrator) => hostedIdentityId(administrator.id) === id)
  return row && versionedAdministrator(row, organizationId, parts.clock.now())
}

function versionedAccount(found: AccountWithClient) {
  return { view: accountView(found), updatedAt: found.account.updated_at }
}

function versionedAdministrator(row: AdministratorRow, organizationId: string, now: number) {
  return { view: administratorView(row, organizationId, now), updatedAt: row.updatedAt }
}

function show({ view, updatedAt }: { readonly view: unknown; readonly updatedAt: number }): RouteResponse {
  return withVersion({ status: 200, json: view }, updatedAt)
}

const KINDS = [
  { name: 'identities', list: identitiesOf, find: findHostedIdentity },
  { name: 'user-identities', list: administratorsOf, find: findHostedAdministrator },
] as const

/** Reads identities of the caller's organization, and the caller's own record. */
export function hostedIdentityRoutes(parts: HostedIdentityParts): Route[] {
  const { store, clock } = parts
  const self = async ({ identityId, session, organizationId }: HostedCaller) => {
    const own = await findAccount(store.db, organizationId, identityId)
    if (own) return versionedAccount(own)
    if (!session) throw notFound('apiAccount', identityId)
    return versionedAdministrator(session.identity, organizationId, clock.now())
  }
  const partsFor = (caller: HostedCaller) => ({ ...parts, store: readsOfCaller(store, caller) })

  const base = { bodyCap: 'management', body: null, note: null } as const
  return [
    {
      ...base,
      method: 'GET',
      paths: SELVES,
      access: READ,
      handle: async (call) => show(await self(hostedCallerOf(call))),
    },
    ...KINDS.flatMap(({ name, list, find }): Route[] => [
      {
        ...base,
        method: 'GET',
        paths: [`${BASE}/${name}`],
        access: READ,
        handle: (call) => {
          const caller = hostedCallerOf(call)
          const part = readListPart(call.query)
          const read = async () => partOf(await list(partsFor(caller), caller.organizationId, part), part)
          return identityList(caller, read, (showOne) => showOne())
        },
      },
      {
        ...base,
        method: 'GET',
        paths: [`${BASE}/${name}/:id`],
        access: READ,
        handle: async (call): Promise<RouteResponse> => {
          const { id = '' } = call.params
          const caller = hostedCallerOf(call)
          const found = await find(partsFor(caller), caller.organizationId, id)
          if (!found) throw notFound('identity', id)
          return show(found)
        },
      },
    ]),
    {
      ...base,
      method: 'POST',
      paths: [`${BASE}/logout`],
      access: READ,
      body: { schema: NoMembers, optional: true },
      // Nothing to end here: an access token is valid until its provider revokes it or it expires.
      handle: () => ({ status: 200, json: { loggedOut: true } }),
    },
  ]
}
