import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import type { ExtJwtSignerPatch } from '@countersign/contract'
import { newId, readSignerCertificate } from '@countersign/core'
import type { MintKey } from '@countersign/testkit'
import { pino } from 'pino'
import { KeySets } from '../../src/keyset/key-sets.ts'
import type { SignerKeyWarning } from '../../src/keyset/signer-key-warning.ts'
import { createSigner as createSignerOperation } from '../../src/operations/signer/create-signer.ts'
import { deleteSigner } from '../../src/operations/signer/delete-signer.ts'
import { reserveKeyFetch } from '../../src/operations/signer/reserve-key-fetch.ts'
import { storeKeySet } from '../../src/operations/signer/store-key-set.ts'
import { patchSigner as patchSignerOperation } from '../../src/operations/signer/update-signer.ts'
import { createFirstAdmin } from '../../src/operations/start/create-first-admin.ts'
import { createJwksEndpointPolicy } from '../../src/outbound/jwks-endpoint-policy.ts'
import type { FetchJwks } from '../../src/outbound/jwks-fetch.ts'
import { loadSettings, type Settings } from '../../src/platform/settings/index.ts'
import { findSigner } from '../../src/store/reads/signer-reads.ts'
import type { StoredSigner } from '../../src/store/signer-row.ts'
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts'
import type { Store } from '../../src/store/store.ts'
import { startTestWriter } from '../store/test-writer.ts'
import { createFakeProviders, type FakeProvider, type FakeProviders } from './fake-providers.ts'
import { createFakeTime, type FakeTime, settle, until } from './fake-time.ts'

const DEFAULTS = loadSettings({ flags: {}, env: {} }).settings

export interface KeySetsOptions {
  readonly store: Store
  readonly time: FakeTime
  readonly fetchJwks: FetchJwks
  readonly jwks?: Partial<Settings['jwks']>
  readonly random?: () => number
}

export interface TestKeySets {
  readonly keySets: KeySets
  readonly warnings: SignerKeyWarning[]
  readonly logged: string[]
}

/** Starts key sets. Stop them, or use `setUpKeySets`. */
export function startKeySets(options: KeySetsOptions): TestKeySets {
  const { store, time, fetchJwks, jwks, random = () => 0.5 } = options
  const warnings: SignerKeyWarning[] = []
  const logged: string[] = []
  const keySets = new KeySets({
    store,
    fetchJwks,
    endpoints: createJwksEndpointPolicy({ jwks: { ...DEFAULTS.jwks, ...jwks }, dev: false }),
    saveKeySet: (keySet) => store.run(storeKeySet, keySet, meta(time.clock.now())),
    openAuthorization: (_, sealed) => `opened ${sealed}`,
    // The tests of a file share a store and use the same addresses.
    reserveKeyFetch: (budget) => {
      const endpoint = `${numberOf(time)} ${budget.endpoint}`
      return store.run(reserveKeyFetch, { ...budget, endpoint }, meta(time.clock.now()))
    },
    clock: time.clock,
    scheduler: time.scheduler,
    random,
    settings: { jwks: { ...DEFAULTS.jwks, ...jwks } },
    log: pino({ level: 'trace' }, { write: (line: string) => void logged.push(line) }),
    onWarning: (warning) => void warnings.push(warning),
  })
  return { keySets, warnings, logged }
}

const times: FakeTime[] = []

/** Nodes of one test share their time. */
function numberOf(time: FakeTime): number {
  const known = times.indexOf(time)
  return known === -1 ? times.push(time) - 1 : known
}

const meta = (now: number) => ({ actorId: 'system', now })

export async function createSigner(
  store: Store,
  name: string,
  overrides: Record<string, unknown> = {},
): Promise<StoredSigner> {
  const id = newId()
  const source = 'certPem' in overrides ? {} : { jwksEndpoint: urlOf(name) }
  const body = { name, enabled: true, issuer: `https://${name}.test`, audience: 'edge', ...source, ...overrides }
  await store.run(createSignerOperation, { id, certificate: factsOf(overrides.certPem), body }, meta(1))
  return getSigner(store, id)
}

export async function patchSigner(store: Store, id: string, body: ExtJwtSignerPatch): Promise<StoredSigner> {
  await store.run(patchSignerOperation, { id, certificate: factsOf(body.certPem), body }, meta(2))
  return getSigner(store, id)
}

export async function getSigner(store: Store, id: string): Promise<StoredSigner> {
  const signer = await findSigner(store.db, id)
  if (!signer) throw new Error('there is no such signer')
  return signer
}

export const urlOf = (name: string): string => `https://${name}.test/jwks`

function factsOf(certPem: unknown) {
  if (typeof certPem !== 'string') return undefined
  const { fingerprintSha1, commonName, notBefore, notAfter } = readSignerCertificate(certPem)
  return { fingerprint: fingerprintSha1, commonName, notBefore: notBefore.getTime(), notAfter: notAfter.getTime() }
}

export interface KeySetsSetup extends TestKeySets {
  readonly store: Store
  readonly time: FakeTime
  readonly providers: FakeProviders
}

let fileStore: Promise<{ store: Store; close(): Promise<void> }> | undefined

async function openFileStore() {
  const dir = mkdtempSync(join(tmpdir(), 'countersign-keys-'))
  const store = await withDefaults(
    await openSqliteStore({ startWriter: startTestWriter, file: join(dir, 'test.db'), now: 1 }),
  )
  const close = async (): Promise<void> => {
    await store.close()
    rmSync(dir, { recursive: true, force: true })
  }
  return { store, close }
}

/** Creates the defaults that every signer refers to. */
export async function withDefaults(store: Store): Promise<Store> {
  const admin = { identityId: newId(), authenticatorId: newId(), username: 'admin', passwordDigest: 'x' }
  await store.run(createFirstAdmin, admin, meta(1))
  return store
}

/** Closes the store of this test file. Call it in a file-level `after`. */
export async function closeFileStore(): Promise<void> {
  const open = fileStore
  // Another file in this process opens its own.
  fileStore = undefined
  await (await open)?.close()
}

/** The store of this test file. Signers are deleted after the test. */
export async function useFileStore(t: TestContext): Promise<Store> {
  fileStore ??= openFileStore()
  const { store } = await fileStore
  t.after(async () => {
    const signers = await store.db.selectFrom('ext_jwt_signers').select('id').execute()
    for (const { id } of signers) await store.run(deleteSigner, { id }, meta(3))
  })
  return store
}

/** Key sets on a store without signers, with scripted providers. They stop with the test. */
export async function setUpKeySets(t: TestContext, options: Partial<KeySetsOptions> = {}): Promise<KeySetsSetup> {
  const providers = createFakeProviders()
  const time = createFakeTime()
  const store = options.store ?? (await useFileStore(t))
  const setup = { store, time, providers, ...startKeySets({ store, time, fetchJwks: providers.fetchJwks, ...options }) }
  t.after(() => setup.keySets.stop())
  return setup
}

export interface SignerSetup extends KeySetsSetup {
  readonly provider: FakeProvider
  readonly signer: StoredSigner
}

/** The same with one signer, `idp`, whose provider publishes these keys. They are already fetched. */
export async function setUpSigner(
  t: TestContext,
  keys: readonly [MintKey, ...MintKey[]],
  { freshForMs, ...options }: Partial<KeySetsOptions> & { readonly freshForMs?: number } = {},
): Promise<SignerSetup> {
  const setup = await setUpKeySets(t, options)
  const provider = setup.providers.at(urlOf('idp'))
  provider.publish(keys, freshForMs)
  const signer = await createSigner(setup.store, 'idp')
  await setup.keySets.keyFor(signer, keys[0].kid)
  return { ...setup, provider, signer }
}

/** Waits until the fetched keys are stored, so that no write interferes with the following steps. */
export async function untilStored(store: Store, signerId: string, fetchedAt: number): Promise<void> {
  await until(async () => (await storedKeys(store, signerId))?.fetched_at === fetchedAt)
  await settle()
}

export function storedKeys(store: Store, signerId: string) {
  return store.db.selectFrom('signer_key_sets').selectAll().where('signer_id', '=', signerId).executeTakeFirst()
}
