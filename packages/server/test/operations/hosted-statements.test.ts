/** The logins of every organization wait for each write: none may take more statements because an organization has many rows. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { accountFromBody, accountIdentityId, networkFromBody, newId, providerFromBody } from '@countersign/core'
import type { KyselyPlugin } from 'kysely'
import { ensureAccountIdentity } from '../../src/operations/api-account/account-identity.ts'
import { BY_OPERATOR } from '../../src/operations/api-account/client-binding.ts'
import { createApiAccount } from '../../src/operations/api-account/create-api-account.ts'
import { deleteApiAccount } from '../../src/operations/api-account/delete-api-account.ts'
import { rotateApiAccount } from '../../src/operations/api-account/rotate-api-account.ts'
import { patchApiAccount } from '../../src/operations/api-account/update-api-account.ts'
import { createProvider } from '../../src/operations/identity-provider/create-provider.ts'
import { deleteProvider } from '../../src/operations/identity-provider/delete-provider.ts'
import { patchProvider } from '../../src/operations/identity-provider/update-provider.ts'
import { createNetwork } from '../../src/operations/network/create-network.ts'
import { deleteNetwork } from '../../src/operations/network/delete-network.ts'
import { patchNetwork } from '../../src/operations/network/update-network.ts'
import { createOrganization } from '../../src/operations/organization/create-organization.ts'
import { updateOrganization } from '../../src/operations/organization/update-organization.ts'
import type { Operation } from '../../src/store/operation.ts'
import type { OperationMeta } from '../../src/store/operation-meta.ts'
import { runOperation } from '../../src/store/run-operation.ts'
import { openForWriting } from '../../src/store/sqlite/open-database.ts'
import { insertEntries } from '../../src/store/writes/change-log-writes.ts'
import { makeSqliteFile } from '../store/empty-database.ts'
import { writeMigratedFile } from '../store/migrated-file.ts'

const ISSUER = 'https://idp.example'
const system: OperationMeta = { actorId: 'system', now: 1_800_000_000_000 }
const organizationId = newId()

/** Runs operations in this thread, and counts their statements. */
async function openDatabase(t: TestContext) {
  const file = makeSqliteFile(t)
  await writeMigratedFile(file)
  const { raw, db } = openForWriting(file)
  t.after(() => raw.close())
  let statements = 0
  const counter: KyselyPlugin = {
    transformQuery: ({ node }) => node,
    transformResult: async ({ result }) => {
      statements++
      return result
    },
  }
  const on = { db: db.withPlugin(counter), dialect: 'sqlite' } as const
  return async <Args>(operation: Operation<Args, unknown>, args: Args, meta = system): Promise<number> => {
    const before = statements
    const { entries } = await runOperation(on, operation, args, meta)
    await insertEntries(on, entries)
    return statements - before
  }
}

/** How many statements each write takes in an organization with this many accounts, each with an identity, and networks. */
async function countStatements(t: TestContext, rows: number): Promise<Record<string, number>> {
  const run = await openDatabase(t)
  const organization = { name: 'Acme', label: 'ACME' }
  await run(createOrganization, { id: organizationId, networkGroupId: newId(), body: organization })
  const record = { kind: 'oidc', issuer: ISSUER, audience: 'api', jwksUri: `${ISSUER}/keys` } as const
  const addProvider = (id: string) =>
    run(createProvider, { id, organizationId, provider: providerFromBody({ name: id, ...record }) })
  const [provider, unused] = [newId(), newId()]
  await addProvider(provider)
  const client = (clientId: string) => ({ clientId, administeredBy: null, handle: null, sealedToken: null })
  const addAccount = (id: string) => {
    const settings = accountFromBody({ name: id })
    const owners = { id, organizationId, identityProviderId: provider }
    return run(createApiAccount, { ...owners, settings, client: client(id), binding: BY_OPERATOR })
  }
  const addNetwork = (id: string) =>
    run(createNetwork, { id, organizationId, settings: networkFromBody({ name: id }), productVersion: '1' })
  const ids = Array.from({ length: rows }, newId)
  for (const id of ids) {
    await addAccount(id)
    const credential = { issuer: ISSUER, clientId: id, providerRevision: 1 }
    await run(ensureAccountIdentity, {}, { ...system, actorId: accountIdentityId(id), credential })
    await addNetwork(id)
  }
  const [id = ''] = ids
  const key = { id, organizationId }
  const rotation = { ...key, credential: { client: client('next'), binding: BY_OPERATOR }, overlapMs: 0 }
  return {
    'create provider': await addProvider(unused),
    'delete provider': await run(deleteProvider, { id: unused, organizationId }),
    'disable provider': await run(patchProvider, { id: provider, organizationId, patch: { enabled: false } }),
    'create account': await addAccount(newId()),
    'disable account': await run(patchApiAccount, { ...key, body: { active: false } }),
    'rotate account': await run(rotateApiAccount, rotation),
    'delete account': await run(deleteApiAccount, key),
    'create network': await addNetwork(newId()),
    'change network': await run(patchNetwork, { ...key, body: { name: 'renamed' } }),
    'delete network': await run(deleteNetwork, key),
    'rename organization': await run(updateOrganization, { id: organizationId, body: { name: 'Renamed' } }),
  }
}

test('F-14 a write of an organization takes as many statements with fifty rows as with one', async (t) => {
  const few = await countStatements(t, 1)
  assert.ok(Object.values(few).every((count) => count > 0))
  assert.deepEqual(await countStatements(t, 50), few)
})
