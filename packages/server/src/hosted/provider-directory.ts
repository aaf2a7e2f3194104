import {
  buildVerifySigner,
  clientIdClaimsOf,
  providerProfile,
  type Selector,
  type VerifySigner,
} from '@countersign/core'
import type { Logger } from 'pino'
import type { KeySigner } from '../store/key-signer.ts'
import { providerFromRow, type StoredProvider } from '../store/provider-row.ts'
import { listAllProviderRows } from '../store/reads/provider-reads.ts'
import type { Store } from '../store/store.ts'

/** A provider, ready to judge tokens if it is enabled. */
export interface DirectoryProvider {
  readonly stored: StoredProvider
  readonly keySigner: KeySigner
  /** By the claim that carries the client id, in the order in which they are looked for. */
  readonly byClientIdClaim: ReadonlyMap<string, VerifySigner>
}

/** What the records of all organizations say of one issuer. */
export interface TrustedIssuer {
  readonly issuer: string
  /** Where its tokens may name their client: each claim once, however many records there are. */
  readonly clientIds: readonly Selector[]
  /** Judges tokens of clients that nobody has registered; undefined while no record is enabled. */
  readonly forStrangers: DirectoryProvider | undefined
}

export interface ProviderDirectory {
  findIssuer(issuer: string): Promise<TrustedIssuer | undefined>
  /** A disabled one too: its accounts are its own still. */
  find(id: string): Promise<DirectoryProvider | undefined>
}

interface Snapshot {
  readonly byId: ReadonlyMap<string, DirectoryProvider>
  readonly byIssuer: ReadonlyMap<string, TrustedIssuer>
}

/** The provider records in memory, read again after one of them has changed. */
export function createProviderDirectory(store: Store, log: Logger): ProviderDirectory {
  let current: Promise<Snapshot> | undefined

  store.onChange((changes) => {
    if (changes === 'everything' || changes.some(({ entity }) => entity === 'identityProviders')) current = undefined
  })

  const snapshot = (): Promise<Snapshot> => {
    current ??= load(store, log)
    const reading = current
    reading.catch(() => {
      if (current === reading) current = undefined
    })
    return reading
  }

  return {
    findIssuer: async (issuer) => (await snapshot()).byIssuer.get(issuer),
    find: async (id) => (await snapshot()).byId.get(id),
  }
}

async function load({ db }: Store, log: Logger): Promise<Snapshot> {
  const rows = await listAllProviderRows(db)
  const providers = rows.flatMap((row) => {
    try {
      return [directoryProvider(providerFromRow(row))]
    } catch (error) {
      log.error({ providerId: row.id, err: error }, 'a provider record cannot be used: nobody gets in by it')
      return []
    }
  })
  const ofIssuers = Map.groupBy(providers, ({ stored }) => stored.issuer)
  return {
    byId: new Map(providers.map((provider) => [provider.stored.id, provider])),
    byIssuer: new Map([...ofIssuers].map(([issuer, records]) => [issuer, trustedIssuer(issuer, records)])),
  }
}

function trustedIssuer(issuer: string, records: readonly DirectoryProvider[]): TrustedIssuer {
  const byClaim = new Map(records.flatMap(({ byClientIdClaim }) => [...byClientIdClaim]))
  return {
    issuer,
    clientIds: [...byClaim.values()].map(({ claimsProperty }) => claimsProperty),
    forStrangers: records.find(({ stored }) => stored.enabled),
  }
}

function directoryProvider(stored: StoredProvider): DirectoryProvider {
  const { id, revision, issuer, kind, enabled } = stored
  const { hasAudience, rules } = providerProfile(kind, issuer)
  const audience = hasAudience ? stored.audience : null
  const verifiers = clientIdClaimsOf(stored).map((claim): [string, VerifySigner] => [
    claim,
    buildVerifySigner({ id: `${id} ${claim}`, revision, issuer, audience, claimsProperty: claim, claimRules: rules }),
  ])
  const keySigner = { id, enabled, revision, jwksEndpoint: stored.jwksUri, certPem: null, kid: null }
  return { stored, keySigner, byClientIdClaim: new Map(verifiers) }
}
