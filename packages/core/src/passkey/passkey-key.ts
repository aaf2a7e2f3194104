import type { JsonObject } from '../json/json-value.ts'
import { admitPublicKey } from '../key/admit-public-key.ts'
import { readJwkPublicKey } from '../key/jwk-public-key.ts'

/** A COSE key as it was decoded: labels are numbers (RFC 9052 section 7). */
export type CoseKey = ReadonlyMap<number, unknown>

interface PasskeyAlgorithm {
  /** The labels of the public numbers, and the members of the key that have no number. */
  readonly members: Readonly<Record<string, number>>
  readonly fixed: Readonly<Record<string, string>>
}

/** EdDSA, ES256 and RS256 by their COSE ids, the preferred one first: those of our algorithms that authenticators have. */
const PASSKEY_ALGORITHMS: ReadonlyMap<number, PasskeyAlgorithm> = new Map([
  [-8, { members: { x: -2 }, fixed: { kty: 'OKP', crv: 'Ed25519' } }],
  [-7, { members: { x: -2, y: -3 }, fixed: { kty: 'EC', crv: 'P-256' } }],
  [-257, { members: { n: -1, e: -2 }, fixed: { kty: 'RSA' } }],
])

export const PASSKEY_ALGORITHM_IDS: readonly number[] = [...PASSKEY_ALGORITHMS.keys()]

const ALG = 3

/** Returns why the public key of a passkey is not admitted: its algorithm, or what `admitPublicKey` refuses. Undefined when it is. */
export function findPasskeyKeyFault(cose: CoseKey): string | undefined {
  const algorithm = PASSKEY_ALGORITHMS.get(Number(cose.get(ALG)))
  if (!algorithm) return 'the algorithm of the passkey is not ES256, RS256 or EdDSA'
  const numbers = Object.entries(algorithm.members).map(([member, label]) => [member, textOf(cose.get(label))])
  const jwk = { ...algorithm.fixed, ...Object.fromEntries(numbers) } as JsonObject
  const reading = readJwkPublicKey(jwk)
  if (!reading.ok) return reading.reason
  const admission = admitPublicKey(reading.key)
  return admission.ok ? undefined : admission.reason
}

function textOf(value: unknown): string | null {
  return value instanceof Uint8Array ? Buffer.from(value).toString('base64url') : null
}
