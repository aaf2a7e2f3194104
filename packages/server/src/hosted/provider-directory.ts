import {
  audienceOf,
  buildVerifySigner,
  claimRulesOf,
  clientIdClaimsOf,
  organizationAudience,
  type Selector,
  selectClaim,
  type UntrustedJws,
  type VerifySigner,
} from '@countersign/core'
import type { Logger } from 'pino'
import { FollowedRows, type WantedRows } from '../store/followed-rows.ts'
import type { IdentityProviderRow } from '../store/hosted-schema.ts'
import type { KeySigner } from '../store/key-signer.ts'
import { providerFromRow, type StoredProvider } from '../store/provider-row.ts'
import { listProviderRows } from '../store/reads/provider-reads.ts'
import type { Store } from '../store/store.ts'

/** A provider record, prepared for verifying tokens. */
export interface DirectoryProvider {
  readonly stored: StoredProvider
  readonly keySigner: KeySigner
  /** Keyed by client id claim, in the order the claims are tried. */
  readonly byClientIdClaim: ReadonlyMap<string, VerifySigner>
  /** Verifies tokens for federated accounts, which must have the audience of the organization. */
  readonly federated: VerifySigner
}

/** One issuer, with the provider records of all organizations. */
export interface TrustedIssuer {
  readonly issuer: string
  /** The claims that may contain the client id, without duplicates. */
  readonly clientIds: readonly Selector[]
  /** Verifies tokens of clients without an account. Undefined when no record is enabled. */
  readonly fallback: DirectoryProvider | undefined
  /** The organization with all these records; undefined when there are several. */
  readonly soleOrganizationId: string | undefined
  /** The records of each organization, the oldest first. */
  readonly byOrganization: ReadonlyMap<string, readonly DirectoryProvider[]>
}

/** The provider records in memory. Those that the change log reports as changed are read again before the next call returns. */
export class ProviderDirectory {
  readonly #store: Store
  readonly #log: Logger
  readonly #rows: FollowedRows
  readonly #byId = new Map<string, DirectoryProvider>()
  readonly #idsByIssuer = new Map<string, Set<string>>()
  /** Built when first needed after a change of one of its records. */
  readonly #issuers = new Map<string, TrustedIssuer>()

  constructor(store: Store, log: Logger) {
    this.#store = store
    this.#log = log
    this.#rows = new FollowedRows(store, 'identityProviders', (wanted) => this.#read(wanted))
  }

  async findIssuer(issuer: string): Promise<TrustedIssuer | undefined> {
    await this.#rows.settle()
    const known = this.#issuers.get(issuer)
    const ids = this.#idsByIssuer.get(issuer)
    if (known || !ids) return known
    const records = [...ids].flatMap((id) => this.#byId.get(id) ?? [])
    const built = trustedIssuer(issuer, records.toSorted(byAge))
    this.#issuers.set(issuer, built)
    return built
  }

  /** Finds the record with this id, enabled or not: the accounts of a disabled record still belong to it. */
  async find(id: string): Promise<DirectoryProvider | undefined> {
    await this.#rows.settle()
    return this.#byId.get(id)
  }

  async #read(wanted: WantedRows): Promise<void> {
    const rows = await listProviderRows(this.#store.db, wanted)
    for (const id of wanted === 'everything' ? [...this.#byId.keys()] : wanted) this.#delete(id)
    for (const row of rows) this.#put(row)
  }

  #put(row: IdentityProviderRow): void {
    try {
      const provider = directoryProvider(providerFromRow(row))
      const { id, issuer } = provider.stored
      this.#byId.set(id, provider)
      this.#idsByIssuer.set(issuer, (this.#idsByIssuer.get(issuer) ?? new Set()).add(id))
      this.#issuers.delete(issuer)
    } catch (error) {
      this.#log.error(
        { providerId: row.id, err: error },
        'a stored provider record cannot be used: its tokens are refused',
      )
    }
  }

  #delete(id: string): void {
    const issuer = this.#byId.get(id)?.stored.issuer
    if (issuer === undefined) return
    this.#byId.delete(id)
    this.#issuers.delete(issuer)
    const ids = this.#idsByIssuer.get(issuer)
    ids?.delete(id)
    if (ids?.size === 0) this.#idsByIssuer.delete(issuer)
  }
}

function byAge({ stored: a }: DirectoryProvider, { stored: b }: DirectoryProvider): number {
  return a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1)
}

function trustedIssuer(issuer: string, records: readonly DirectoryProvider[]): TrustedIssuer {
  const byClaim = new Map(records.flatMap(({ byClientIdClaim }) => [...byClientIdClaim]))
  const [organizationId, ...others] = new Set(records.map(({ stored }) => stored.organizationId))
  return {
    issuer,
    soleOrganizationId: others.length === 0 ? organizationId : undefined,
    clientIds: [...byClaim.values()].map(({ claimsProperty }) => claimsProperty),
    fallback: records.find(({ stored }) => stored.enabled),
    byOrganization: Map.groupBy(records, ({ stored }) => stored.organizationId),
  }
}

/** Prepares a record for verifying tokens. */
export function directoryProvider(stored: StoredProvider): DirectoryProvider {
  const { id, organizationId, revision, issuer, enabled } = stored
  const audience = audienceOf(stored)
  const claimRules = claimRulesOf(stored)
  const verifiers = clientIdClaimsOf(stored).map((claim): [string, VerifySigner] => [
    claim,
    buildVerifySigner({ id: `${id} ${claim}`, revision, issuer, audience, claimsProperty: claim, claimRules }),
  ])
  const keySigner = { id, organizationId, enabled, revision, jwksEndpoint: stored.jwksUri, certPem: null, kid: null }
  const federated = buildVerifySigner({
    id: `${id} federated`,
    revision,
    issuer,
    audience: organizationAudience(organizationId),
  })
  return { stored, keySigner, byClientIdClaim: new Map(verifiers), federated }
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
