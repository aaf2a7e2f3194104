import { type KeyObject, verify } from 'node:crypto'
import { ALGORITHMS, type Algorithm } from '../key/algorithms.ts'
import type { SignerKey } from '../key/signer-key.ts'
import { verificationKey } from '../key/verification-key.ts'
import type { UntrustedJws } from './jws.ts'

/** A signature whose length fits its key and its algorithm, which the key allows. */
export interface SignatureToCheck {
  readonly algorithm: Algorithm
  readonly key: KeyObject
  /** What was signed, one byte to a character. */
  readonly input: string
  /** In the form that `crypto.verify` takes. */
  readonly signature: Buffer
}

/** Whether the key made the signature. Never rejects: what the library cannot even try is no signature. */
export type CheckSignature = (check: SignatureToCheck) => boolean | Promise<boolean>

/** Whether the key made the signature of the token, with an algorithm that it allows. */
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
  return check({ algorithm, key: key.keyObject, input: jws.signingInput, signature })
}

/** On this thread, which does nothing else meanwhile. */
export function checkInPlace({ algorithm: { hash, options }, key, input, signature }: SignatureToCheck): boolean {
  try {
    return verify(hash, Buffer.from(input, 'latin1'), verificationKey(key, options), signature)
  } catch {
    return false
  }
}

/** On a thread of Node's pool: several at a time, for more work in all. */
export function checkOnPool(check: SignatureToCheck): Promise<boolean> {
  const { algorithm, key, input, signature } = check
  return new Promise((resolve) => {
    try {
      const verifyingKey = verificationKey(key, algorithm.options)
      verify(algorithm.hash, Buffer.from(input, 'latin1'), verifyingKey, signature, answerTo(resolve))
    } catch {
      resolve(false)
    }
  })
}

/**
 * Made here, in a scope of its own: the library's jobs live until the next full garbage collection, and everything that the callback can
 * reach lives as long.
 */
function answerTo(resolve: (good: boolean) => void): (error: Error | null, good: boolean) => void {
  return (error, good) => resolve(error === null && good)
}
