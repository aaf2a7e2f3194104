import { verify } from 'node:crypto'
import { ALGORITHMS } from '../key/algorithms.ts'
import type { SignerKey } from '../key/signer-key.ts'
import { verificationKey } from '../key/verification-key.ts'
import type { UntrustedJws } from './jws.ts'

/** A signature of RSA this long, of 2048 bits, is checked in the time that it takes to hand it to another thread and be told. */
const MAX_QUICK_BYTES = 256

/**
 * Whether the key made the signature with an algorithm that it allows, asked on the thread pool, or right here where `inPlace` allows it
 * and it is quick. Never rejects: what the library cannot even try is no signature.
 */
export function verifySignature(jws: UntrustedJws, key: SignerKey, inPlace = false): Promise<boolean> {
  const alg = key.algs.find((name) => name === jws.untrustedHeader.alg)
  const algorithm = alg === undefined ? undefined : ALGORITHMS.get(alg)
  const { signature: received } = jws
  if (!algorithm || received.length !== key.signatureBytes) return Promise.resolve(false)
  const { hash, options, encodeSignature, keyKind } = algorithm
  const input = Buffer.from(jws.signingInput, 'latin1')
  const signature = encodeSignature ? encodeSignature(received) : received
  return new Promise((resolve) => {
    try {
      const verifyingKey = verificationKey(key.keyObject, options)
      const isQuick = keyKind === 'RSA' && key.signatureBytes <= MAX_QUICK_BYTES
      if (inPlace && isQuick) resolve(verify(hash, input, verifyingKey, signature))
      else verify(hash, input, verifyingKey, signature, answerTo(resolve))
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
