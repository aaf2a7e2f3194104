import {
  buildVerifySigner,
  findNearSigners,
  type JudgedSigner,
  KeySetError,
  type SignerKeys,
  type UntrustedJws,
  untrustedIssuerAndAudience,
  verifyToken,
} from '@countersign/core'
import type { Logger } from 'pino'
import type { SignerKeyKeeper } from '../keyset/signer-keys.ts'
import { readStoredKeys } from '../keyset/stored-key-set.ts'
import type { Clock } from '../platform/clock.ts'
import { loadKeySigner } from '../store/reads/key-signer-reads.ts'
import type { StoredSigner } from '../store/signer-row.ts'
import type { Store } from '../store/store.ts'
import type { SignerDirectory } from './signer-directory.ts'

export interface JudgedStoredSigner extends JudgedSigner {
  readonly signer: StoredSigner
}

export interface NearSignersParts {
  readonly store: Store
  readonly directory: Pick<SignerDirectory, 'enabled' | 'all'>
  readonly keys: SignerKeyKeeper
  readonly clock: Clock
  readonly log: Logger
}

/** Signers that may be compared with refused tokens in a second: looking at one takes about a microsecond. */
const COMPARED_PER_SECOND = 20_000
const NO_KEYS: SignerKeys = new Map()

/**
 * Judges a token before every signer that fits or nearly fits, each check that can be made. `hurried` is for what nobody waits for and an
 * attacker can cause: no provider is asked, and undefined is answered when too many signers would have to be looked at in this second.
 */
export function createNearSigners({ store, directory, keys, clock, log }: NearSignersParts) {
  let second = 0
  let compared = 0

  const mayCompare = (count: number): boolean => {
    const current = Math.floor(clock.now() / 1000)
    if (current !== second) compared = 0
    second = current
    if (compared > 0 && compared + count > COMPARED_PER_SECOND) return false
    compared += count
    return true
  }

  /** With an enabled signer of exactly this issuer and audience no other is near, so that the whole list need not be read. */
  const findSigners = async (jws: UntrustedJws, hurried: boolean): Promise<readonly StoredSigner[] | undefined> => {
    const { untrustedIssuer, untrustedAudiences } = untrustedIssuerAndAudience(jws)
    const { candidates } = (await directory.enabled()).choose(untrustedIssuer, untrustedAudiences)
    const all = candidates.length > 0 ? candidates.map(({ stored }) => stored) : await directory.all()
    if (hurried && candidates.length === 0 && !mayCompare(all.length)) return undefined
    return findNearSigners(jws.untrustedClaims, all)
  }

  /** A disabled signer fetches nothing, but may have fetched before: its last keys say whether it would take the token. */
  const storedKeys = async ({ id, jwksEndpoint }: StoredSigner): Promise<SignerKeys> => {
    const keySet = (await loadKeySigner(store, id))?.keySet
    if (!keySet || keySet.url !== jwksEndpoint) return NO_KEYS
    try {
      return readStoredKeys(keySet.jwks)
    } catch (error) {
      if (error instanceof KeySetError) return NO_KEYS
      throw error
    }
  }

  const keysFor = async (signer: StoredSigner, jws: UntrustedJws, hurried: boolean): Promise<SignerKeys> => {
    if (!signer.enabled && signer.certPem === null) return storedKeys(signer)
    const { kid } = jws.untrustedHeader
    const { untrustedIssuer, untrustedAudiences } = untrustedIssuerAndAudience(jws)
    const isNamed = signer.issuer === untrustedIssuer && untrustedAudiences.includes(signer.audience)
    // As at sign-in: only the signer that the token names asks its provider for a kid that it does not know.
    if (!hurried && isNamed && typeof kid === 'string' && !keys.keysOf(signer).has(kid)) await keys.keyFor(signer, kid)
    return keys.keysOf(signer)
  }

  const judgeBy = async (signer: StoredSigner, jws: UntrustedJws, hurried: boolean): Promise<JudgedStoredSigner[]> => {
    let verifySigner: ReturnType<typeof buildVerifySigner>
    try {
      verifySigner = buildVerifySigner(signer)
    } catch (error) {
      log.error({ signerId: signer.id, err: error }, 'a stored signer cannot be used and is left out')
      return []
    }
    const signerKeys = await keysFor(signer, jws, hurried)
    const verdict = await verifyToken(jws, verifySigner, signerKeys, clock.now(), { goesOnAfterRefusal: true })
    return [{ signer, keys: signerKeys, verdict }]
  }

  return async (jws: UntrustedJws, hurried: boolean): Promise<readonly JudgedStoredSigner[] | undefined> => {
    const near = await findSigners(jws, hurried)
    return near && (await Promise.all(near.map((signer) => judgeBy(signer, jws, hurried)))).flat()
  }
}
