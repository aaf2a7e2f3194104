import { buildVerifySigner, providerProfile, type VerifySigner } from '@countersign/core'
import type { Logger } from 'pino'
import type { KeySigner } from '../signer-keys/key-signer.ts'
import { providerFromRow, type StoredProvider } from '../store/provider-row.ts'
import type { Store } from '../store/store.ts'

/** A provider that is enabled, ready to judge tokens. */
export interface DirectoryProvider {
  readonly stored: StoredProvider
  readonly keySigner: KeySigner
  /** By the claim that carries the client id, in the order in which they are looked for. */
  readonly byClientIdClaim: ReadonlyMap<string, VerifySigner>
}

export interface ProviderDirectory {
  /** The enabled providers of every organization that trusts this issuer, in the order in which their word counts. */
  findByIssuer(issuer: string): Promise<readonly DirectoryProvider[]>
  find(id: string): Promise<DirectoryProvider | undefined>
}

interface Snapshot {
  readonly byId: ReadonlyMap<string, DirectoryProvider>
  readonly byIssuer: ReadonlyMap<string, readonly DirectoryProvider[]>
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
    findByIssuer: async (issuer) => (await snapshot()).byIssuer.get(issuer) ?? [],
    find: async (id) => (await snapshot()).byId.get(id),
  }
}

async function load({ db }: Store, log: Logger): Promise<Snapshot> {
  const rows = await db
    .selectFrom('identity_providers')
    .selectAll()
    .where('enabled', '=', true)
    .orderBy('created_at')
    .orderBy('id')
    .execute()
  const providers = rows.flatMap((row) => {
    try {
      return [directoryProvider(providerFromRow(row))]
    } catch (error) {
      log.error({ providerId: row.id, err: error }, 'a provider record cannot be used: nobody gets in by it')
      return []
    }
  })
  return {
    byId: new Map(providers.map((provider) => [provider.stored.id, provider])),
    byIssuer: Map.groupBy(providers.toSorted(usualFirst), ({ stored }) => stored.issuer),
  }
}

/**
 * Which claim names the client is what the kind of provider says, then what the oldest record says: whoever trusts the same issuer later
 * could otherwise name a claim that all its tokens have, and have the machines of other organizations taken for his own.
 */
function usualFirst(a: DirectoryProvider, b: DirectoryProvider): number {
  return Number(a.stored.clientIdClaim !== null) - Number(b.stored.clientIdClaim !== null)
}

function directoryProvider(stored: StoredProvider): DirectoryProvider {
  const { id, revision, issuer, kind, enabled } = stored
  const { clientIdClaims, hasAudience, rules } = providerProfile(kind, issuer)
  const claims = stored.clientIdClaim === null ? clientIdClaims : [stored.clientIdClaim]
  const audience = hasAudience ? stored.audience : null
  const verifiers = claims.map((claim): [string, VerifySigner] => [
    claim,
    buildVerifySigner({ id: `${id} ${claim}`, revision, issuer, audience, claimsProperty: claim, claimRules: rules }),
  ])
  const keySigner = { id, enabled, revision, jwksEndpoint: stored.jwksUri, certPem: null, kid: null }
  return { stored, keySigner, byClientIdClaim: new Map(verifiers) }
}
