import { type KeyObject, verify } from 'node:crypto'
import { ALGORITHMS, type Algorithm } from '../key/algorithms.ts'
import type { SignerKey } from '../key/signer-key.ts'
import { verificationKey } from '../key/verification-key.ts'
import type { UntrustedJws } from './jws.ts'

/** A signature of the right length for its key, with an algorithm that the key allows. */
export interface SignatureToCheck {
  readonly algorithm: Algorithm
  readonly key: KeyObject
  /** Identifies the key, however often it was read. RFC 7638. */
  readonly thumbprint: string
  /** The signing input as latin1: one byte per character. */
  readonly input: string
  /** In the encoding that `crypto.verify` expects. */
  readonly signature: Buffer
}

/**
 * Returns whether the signature is valid: an input that `crypto.verify` rejects is not. Never throws. Rejects with SERVER_TOO_MANY_REQUESTS, if
 * it limits how many signatures wait.
 */
export type CheckSignature = (check: SignatureToCheck) => boolean | Promise<boolean>

/** Returns whether the token's signature is valid for the key, with an algorithm that the key allows. */
export function verifySignature(
  jws: UntrustedJws,
  key: SignerKey,
  check: CheckSignature = checkOnPool,
): boolean | Promise<boolean> {
  const alg = key.algs.find((name) => name === jws.untrustedHeader.alg)
  const algorithm = alg === undefined ? undefined : ALGORITHMS.get(alg)
  const { signature: received } = jws
  if (!algorithm || received.length !== key.signatureBytes) return false
  const signature = algorithm.encodeSignature ? algorithm.encodeSignature(received) : received
  return check({ algorithm, key: key.keyObject, thumbprint: key.thumbprint, input: jws.signingInput, signature })
}

/** Verifies on the calling thread and blocks it. */
export function checkInPlace({ algorithm: { hash, options }, key, input, signature }: SignatureToCheck): boolean {
  try {
    return verify(hash, Buffer.from(input, 'latin1'), verificationKey(key, options), signature)
  } catch {
    return false
  }
}

/** Verifies on Node's thread pool: several signatures in parallel, at a higher total cost. */
export function checkOnPool(check: SignatureToCheck): Promise<boolean> {
  const { algorithm, key, input, signature } = check
  return new Promise((resolve) => {
    try {
      const verifyingKey = verificationKey(key, algorithm.options)
      verify(algorithm.hash, Buffer.from(input, 'latin1'), verifyingKey, signature, settleWith(resolve))
    } catch {
      resolve(false)
    }
  })
}

/**
 * A scope of its own keeps the callback from capturing more: Node's crypto jobs live until the next full garbage collection, and so does
 * everything that the callback references.
 */
function settleWith(resolve: (isValid: boolean) => void): (error: Error | null, isValid: boolean) => void {
  return (error, isValid) => resolve(error === null && isValid)
}
