import {
  buildVerifySigner,
  claimRulesOf,
  clientIdClaimsOf,
  providerProfile,
  type Selector,
  selectClaim,
  type UntrustedJws,
  type VerifySigner,
} from '@countersign/core'
import type { Logger } from 'pino'
import type { KeySigner } from '../store/key-signer.ts'
import { providerFromRow, type StoredProvider } from '../store/provider-row.ts'
import { listAllProviderRows } from '../store/reads/provider-reads.ts'
import type { Store } from '../store/store.ts'

/** A provider record, prepared for verifying tokens. */
export interface DirectoryProvider {
  readonly stored: StoredProvider
  readonly keySigner: KeySigner
  /** Keyed by client id claim, in the order the claims are tried. */
  readonly byClientIdClaim: ReadonlyMap<string, VerifySigner>
}

/** One issuer, with the provider records of all organizations. */
export interface TrustedIssuer {
  readonly issuer: string
  /** The claims that may contain the client id, without duplicates. */
  readonly clientIds: readonly Selector[]
  /** Verifies tokens of clients without an account. Undefined when no record is enabled. */
  readonly fallback: DirectoryProvider | undefined
}

interface Snapshot {
  readonly byId: ReadonlyMap<string, DirectoryProvider>
  readonly byIssuer: ReadonlyMap<string, TrustedIssuer>
}

/** The provider records in memory, read again after the change log reports a change. */
export class ProviderDirectory {
  readonly #store: Store
  readonly #log: Logger
  #current: Promise<Snapshot> | undefined

  constructor(store: Store, log: Logger) {
    this.#store = store
    this.#log = log
    store.onChange((changes) => {
      if (changes === 'everything' || changes.some(({ entity }) => entity === 'identityProviders')) {
        this.#current = undefined
      }
    })
  }

  async findIssuer(issuer: string): Promise<TrustedIssuer | undefined> {
    return (await this.#snapshot()).byIssuer.get(issuer)
  }

  /** Finds the record with this id, enabled or not: the accounts of a disabled record still belong to it. */
  async find(id: string): Promise<DirectoryProvider | undefined> {
    return (await this.#snapshot()).byId.get(id)
  }

  #snapshot(): Promise<Snapshot> {
    this.#current ??= load(this.#store, this.#log)
    const reading = this.#current
    reading.catch(() => {
      if (this.#current === reading) this.#current = undefined
    })
    return reading
  }
}

async function load({ db }: Store, log: Logger): Promise<Snapshot> {
  const rows = await listAllProviderRows(db)
  const providers = rows.flatMap((row) => {
    try {
      return [directoryProvider(providerFromRow(row))]
    } catch (error) {
      log.error({ providerId: row.id, err: error }, 'a stored provider record cannot be used: its tokens are refused')
      return []
    }
  })
  const byIssuer = Map.groupBy(providers, ({ stored }) => stored.issuer)
  return {
    byId: new Map(providers.map((provider) => [provider.stored.id, provider])),
    byIssuer: new Map([...byIssuer].map(([issuer, records]) => [issuer, trustedIssuer(issuer, records)])),
  }
}

function trustedIssuer(issuer: string, records: readonly DirectoryProvider[]): TrustedIssuer {
  const byClaim = new Map(records.flatMap(({ byClientIdClaim }) => [...byClientIdClaim]))
  return {
    issuer,
    clientIds: [...byClaim.values()].map(({ claimsProperty }) => claimsProperty),
    fallback: records.find(({ stored }) => stored.enabled),
  }
}

/** Prepares a record for verifying tokens. */
export function directoryProvider(stored: StoredProvider): DirectoryProvider {
  const { id, organizationId, revision, issuer, kind, enabled } = stored
  const audience = providerProfile(kind, issuer).hasAudience ? stored.audience : null
  const claimRules = claimRulesOf(stored)
  const verifiers = clientIdClaimsOf(stored).map((claim): [string, VerifySigner] => [
    claim,
    buildVerifySigner({ id: `${id} ${claim}`, revision, issuer, audience, claimsProperty: claim, claimRules }),
  ])
  const keySigner = { id, organizationId, enabled, revision, jwksEndpoint: stored.jwksUri, certPem: null, kid: null }
  return { stored, keySigner, byClientIdClaim: new Map(verifiers) }
}

/** Returns the signer for the first client id claim of the record that the token contains. */
export function findRecordSigner({ byClientIdClaim }: DirectoryProvider, jws: UntrustedJws): VerifySigner | undefined {
  const signers = [...byClientIdClaim.values()]
  return signers.find(({ claimsProperty }) => untrustedTextAt(claimsProperty, jws) !== undefined) ?? signers[0]
}

export function untrustedTextAt(selector: Selector, { untrustedClaims }: UntrustedJws): string | undefined {
  const value = selectClaim(selector, untrustedClaims)
  return typeof value === 'string' ? value : undefined
}
