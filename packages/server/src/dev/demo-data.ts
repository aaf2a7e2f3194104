import { newId, newSecret, secretDigest } from '@countersign/core'
import { LocalOrganization } from '../hosted/local-organization.ts'
import { createIdentity } from '../operations/identity/create-identity.ts'
import { patchIdentity } from '../operations/identity/update-identity.ts'
import { createScimToken } from '../operations/scim/scim-tokens.ts'
import { createSigner } from '../operations/signer/create-signer.ts'
import { patchSigner } from '../operations/signer/update-signer.ts'
import { SYSTEM_ACTOR } from '../store/actor.ts'
import { findIdentityByExternalId, isIdentityName } from '../store/reads/identity-reads.ts'
import { listSignerIssuers } from '../store/reads/signer-reads.ts'
import { ensureDemoAccounts } from './demo-accounts.ts'
import type { DemoOptions, DemoParts } from './demo-parts.ts'
import { freeName } from './free-name.ts'
import { PEOPLE } from './people.ts'
import { PUBLIC_CLIENT_ID, SIGNALS_AUDIENCE, SIGNER_AUDIENCE } from './provider-addresses.ts'
import type { DemoState } from './provider-state.ts'

const SIGNER_NAME = 'local-provider'

/** Creates the data for demos and the tour, once. Deleted parts are not created again. */
export async function ensureDemoData(options: DemoOptions): Promise<void> {
  const organizationId = await new LocalOrganization(options.store).id()
  const meta = () => ({ actorId: SYSTEM_ACTOR.id, now: options.clock.now() })
  const parts = { ...options, organizationId, meta }
  options.provider.serveAudiences(options.hostedAudiences)
  await once(parts, 'people', createPeople)
  await once(parts, 'signer', createDemoSigner)
  await once(parts, 'channels', connectChannels)
  await ensureDemoAccounts(parts)
  // Last: a signer that has two tokens gets no other.
  await connectScim(parts)
}

async function once(
  parts: DemoParts,
  part: 'people' | 'signer' | 'channels',
  create: (parts: DemoParts) => Promise<void>,
): Promise<void> {
  const { state } = parts.provider
  if (state.current().demo[part]) return
  await create(parts)
  const done: Partial<DemoState> = { [part]: true }
  await state.update((now) => ({ ...now, demo: { ...now.demo, ...done } }))
}

async function createPeople({ store, meta }: DemoParts): Promise<void> {
  for (const { id: name, email: externalId, groups, hasIdentity } of PEOPLE) {
    if (!hasIdentity || (await isIdentityName(store.db, name))) continue
    if (await findIdentityByExternalId(store.db, externalId)) continue
    const body = { name, type: 'User' as const, isAdmin: false, externalId, roleAttributes: [...groups] }
    await store.run(createIdentity, { id: newId(), body }, meta())
  }
}

async function createDemoSigner({ provider, store, meta }: DemoParts): Promise<void> {
  const { issuer, jwksUri, discoveryUrl } = provider.addresses.enterprise
  const signers = await listSignerIssuers(store.db)
  if (signers.some((signer) => signer.issuer === issuer)) return
  const taken = signers.map(({ name }) => name)
  const body = {
    name: freeName(SIGNER_NAME, taken, issuer),
    enabled: true,
    issuer,
    audience: SIGNER_AUDIENCE,
    jwksEndpoint: jwksUri,
    openIdConfigurationUrl: discoveryUrl,
    externalAuthUrl: issuer,
    clientId: PUBLIC_CLIENT_ID,
    scopes: ['openid', 'profile', 'email', 'groups'],
    claimsProperty: 'email',
    useExternalId: true,
    enrollToCertEnabled: true,
    enrollToTokenEnabled: true,
    enrollNameClaimsSelector: 'preferred_username',
    enrollAttributeClaimsSelector: 'groups',
  }
  await store.run(createSigner, { id: newId(), body, certificate: undefined }, meta())
}

/** Lets the local provider end the access of its people: by logouts, and by security events. */
async function connectChannels({ provider, store, meta }: DemoParts): Promise<void> {
  const { issuer } = provider.addresses.enterprise
  const signer = (await listSignerIssuers(store.db)).find((one) => one.issuer === issuer)
  if (!signer) return
  const signals = { sharedSignals: { audience: SIGNALS_AUDIENCE } }
  await store.run(patchSigner, { id: signer.id, body: signals, certificate: undefined }, meta())
  for (const { email } of PEOPLE) {
    const identity = await findIdentityByExternalId(store.db, email)
    if (!identity) continue
    const linkedSigners = [...identity.linkedSigners, signer.id]
    await store.run(patchIdentity, { id: identity.id, body: { linkedSigners } }, meta())
  }
}

/** Lets the local provider manage users and groups of its signer, once. */
async function connectScim({ provider, store, meta }: DemoParts): Promise<void> {
  const { state, addresses } = provider
  if (state.current().demo.scimToken !== undefined) return
  const signer = (await listSignerIssuers(store.db)).find(({ issuer }) => issuer === addresses.enterprise.issuer)
  if (!signer) return
  const scimToken = newSecret()
  const args = { signerId: signer.id, tokenId: newId(), tokenDigest: secretDigest(scimToken) }
  await store.run(createScimToken, args, meta())
  await state.update((now) => ({ ...now, demo: { ...now.demo, scimToken } }))
}
