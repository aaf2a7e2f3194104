import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { ProviderKind } from '@countersign/contract'
import { type ProviderSettings, providerFromBody } from '@countersign/core'
import { sealAdministrationSecret } from '../hosted/account-clients.ts'
import { bindAsOperator } from '../hosted/client-bindings.ts'
import { createProvider } from '../operations/identity-provider/create-provider.ts'
import { patchProvider } from '../operations/identity-provider/update-provider.ts'
import { OWNER_ONLY, writeFileAtomically } from '../platform/keys/write-file-atomically.ts'
import { type AccountWithClient, listAccounts } from '../store/reads/account-reads.ts'
import { listProviders } from '../store/reads/provider-reads.ts'
import type { DemoParts } from './demo-parts.ts'
import { freeName } from './free-name.ts'
import { HOSTED_AUDIENCE, type IssuerAddresses, type ProviderAddresses } from './provider-addresses.ts'

interface DemoKind {
  readonly kind: ProviderKind
  readonly name: string
  /** Name of the credentials file in the data directory. */
  readonly file: string
  addressesOf(addresses: ProviderAddresses): IssuerAddresses
  audienceOf(hostedAudience: string): string | undefined
}

/** For each kind: a provider record, an API account and a credentials file. */
export const DEMO_KINDS: readonly DemoKind[] = [
  {
    kind: 'cognito',
    name: 'Local user pool',
    file: 'credentials.json',
    addressesOf: ({ userPool }) => userPool,
    audienceOf: () => undefined,
  },
  {
    kind: 'auth0',
    name: 'Local hosted platform',
    file: 'credentials-hosted-platform.json',
    addressesOf: ({ hostedPlatform }) => hostedPlatform,
    audienceOf: (hostedAudience) => hostedAudience,
  },
  {
    kind: 'oidc',
    name: 'Local enterprise provider',
    file: 'credentials-enterprise.json',
    addressesOf: ({ enterprise }) => enterprise,
    audienceOf: () => HOSTED_AUDIENCE,
  },
]

/** Creates provider records, accounts and credentials files once. Later changes and deletions by administrators are kept. */
export async function ensureDemoAccounts(parts: DemoParts): Promise<void> {
  const { provider, store, organizationId, hostedAudiences } = parts
  const [hostedAudience] = hostedAudiences
  const accounts = await listAccounts(store, organizationId)
  for (const demo of DEMO_KINDS) await ensureAccount(parts, demo, accounts)
  if (provider.state.current().demo.audience === hostedAudience) return
  await provider.state.update((now) => ({ ...now, demo: { ...now.demo, audience: hostedAudience } }))
}

async function ensureAccount(parts: DemoParts, demo: DemoKind, accounts: readonly AccountWithClient[]): Promise<void> {
  const { provider, apiAccounts, organizationId, dataDir, meta } = parts
  const { kind, name, file } = demo
  const { issuer } = demo.addressesOf(provider.addresses)
  const createdId = provider.state.current().demo.accounts[kind]
  const path = join(dataDir, file)
  const isDemoAccount = ({ account, provider: record }: AccountWithClient): boolean =>
    createdId === undefined ? account.name === name && record.issuer === issuer : account.id === createdId
  const existing = accounts.find(isDemoAccount)
  if (createdId !== undefined) {
    if (!existing) return
    await updateAudience(parts, demo, existing.provider)
    if (existsSync(path)) return
  }
  const recordId = existing && createdId !== undefined ? existing.provider.id : await ensureRecord(parts, demo)
  const taken = accounts.map(({ account }) => account.name)
  const body = {
    name: freeName(name, taken, issuer),
    identityProviderId: recordId,
    contactEmail: 'demo@example.com',
    role: 'admin',
  } as const
  const { id, credentials } = existing
    ? await apiAccounts.rotate(organizationId, existing.account.id, { overlapMinutes: 0 }, bindAsOperator, meta())
    : await apiAccounts.create(organizationId, body, bindAsOperator, meta())
  await writeFileAtomically(path, `${JSON.stringify(credentials, null, 2)}\n`, OWNER_ONLY)
  await provider.state.update((now) => ({
    ...now,
    demo: { ...now.demo, accounts: { ...now.demo.accounts, [kind]: id } },
  }))
}

async function ensureRecord(parts: DemoParts, { kind, name, addressesOf, audienceOf }: DemoKind): Promise<string> {
  const { provider, store, sealing, organizationId, hostedAudiences, meta } = parts
  const { registrationUrl } = provider.addresses
  const { issuer, discoveryUrl, jwksUri, tokenUrl } = addressesOf(provider.addresses)
  const records = await listProviders(store.db, organizationId)
  const found = records.find((record) => record.issuer === issuer)
  const id = found?.id ?? randomUUID()
  const sealed = sealAdministrationSecret(sealing, id, provider.state.current().registrationToken)
  const secret = { member: 'registrationToken', sealed } as const
  if (found) {
    // The provider's state was reset at the same address, so the record has an outdated registration token.
    await store.run(patchProvider, { id, organizationId, patch: {}, secret }, meta())
    return id
  }
  const taken = records.map((record) => record.name)
  const audience = audienceOf(hostedAudiences[0])
  const record: ProviderSettings = providerFromBody({
    name: freeName(name, taken, issuer),
    kind,
    issuer,
    discoveryUrl,
    jwksUri,
    tokenUrl,
    registrationUrl,
    ...(audience !== undefined && { audience }),
  })
  const args = { id, organizationId, provider: record, secret }
  await store.run(createProvider, args, meta())
  return id
}

/** Updates the audience when the hosted API has another address than at the last start, unless an administrator changed it. */
async function updateAudience(
  { provider, store, organizationId, hostedAudiences, meta }: DemoParts,
  { audienceOf }: DemoKind,
  record: { readonly id: string; readonly audience: string | null },
): Promise<void> {
  const audience = audienceOf(hostedAudiences[0])
  const isUnchanged = record.audience === provider.state.current().demo.audience
  if (audience === undefined || record.audience === audience || !isUnchanged) return
  await store.run(patchProvider, { id: record.id, organizationId, patch: { audience } }, meta())
}
