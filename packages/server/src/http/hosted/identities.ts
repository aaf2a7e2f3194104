import { NoMembers } from '@countersign/contract'
import type { HostedCaller } from '../../hosted/hosted-caller.ts'
import { notFound } from '../../store/not-found.ts'
import { findAccount, listAccounts } from '../../store/reads/account-reads.ts'
import { listAdministrators } from '../../store/reads/administrator-reads.ts'
import { findOrganization } from '../../store/reads/organization-reads.ts'
import type { ControllerContext } from '../controller-context.ts'
import { type Answer, hostedCallerOf, type Route } from '../pipeline/route.ts'
import { pageOfList } from './hal.ts'
import { accountView, administratorView } from './identity-views.ts'

const READ = { hosted: 'read' } as const
const BASE = '/identity/v1'
/** Existing clients try one after the other; each answers with the caller's own record, whatever it is. */
const SELVES = ['identities', 'api-account-identities', 'user-identities'].map((name) => `${BASE}/${name}/self`)

type IdentityParts = Pick<ControllerContext, 'store' | 'clock'>

/** Who is in an organization: its API accounts and, where it owns this controller, the administrators. */
export async function identitiesOf(parts: IdentityParts, organizationId: string) {
  const machines = (await listAccounts(parts.store.db, organizationId)).map(accountView)
  return [...machines, ...(await peopleOf(parts, organizationId))]
}

async function peopleOf({ store, clock }: IdentityParts, organizationId: string) {
  const organization = await findOrganization(store.db, organizationId)
  if (!organization?.is_local) return []
  return (await listAdministrators(store.db)).map((row) => administratorView(row, organizationId, clock.now()))
}

/** Reading them, all or one, and reading oneself. */
export function hostedIdentityRoutes({ store, clock }: IdentityParts): Route[] {
  const self = async ({ identityId, session, organizationId }: HostedCaller) => {
    const own = await findAccount(store.db, organizationId, identityId)
    if (own) return accountView(own)
    if (!session) throw notFound('apiAccount', identityId)
    return administratorView(session.identity, organizationId, clock.now())
  }

  type List = (organizationId: string) => Promise<readonly { readonly id: string }[]>
  const LISTS: readonly [string, List][] = [
    ['identities', (organizationId) => identitiesOf({ store, clock }, organizationId)],
    ['user-identities', (organizationId) => peopleOf({ store, clock }, organizationId)],
  ]
  const base = { bodyCap: 'management', body: null } as const
  return [
    {
      ...base,
      method: 'GET',
      paths: SELVES,
      access: READ,
      handle: async (call) => ({ status: 200, json: await self(hostedCallerOf(call)) }),
    },
    ...LISTS.flatMap(([name, list]): Route[] => [
      {
        ...base,
        method: 'GET',
        paths: [`${BASE}/${name}`],
        access: READ,
        handle: async (call): Promise<Answer> => {
          const items = await list(hostedCallerOf(call).organizationId)
          return { status: 200, json: pageOfList(items, call.query) }
        },
      },
      {
        ...base,
        method: 'GET',
        paths: [`${BASE}/${name}/:id`],
        access: READ,
        handle: async (call): Promise<Answer> => {
          const { id = '' } = call.params
          const found = (await list(hostedCallerOf(call).organizationId)).find((item) => item.id === id)
          if (!found) throw notFound('identity', id)
          return { status: 200, json: found }
        },
      },
    ]),
    {
      ...base,
      method: 'POST',
      paths: [`${BASE}/logout`],
      access: READ,
      body: { schema: NoMembers, optional: true },
      // A token is its provider's to end; nothing is kept here that could be.
      handle: () => ({ status: 200, json: { loggedOut: true } }),
    },
  ]
}
