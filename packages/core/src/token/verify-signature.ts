import { verify } from 'node:crypto'
import { ALGORITHMS, signatureBytesOf } from '../key/algorithms.ts'
import type { SignerKey } from '../key/signer-key.ts'
import type { UntrustedJws } from './jws.ts'

/**
 * Whether the key made the signature with an algorithm that it allows, asked on the thread pool. Never rejects: what the library cannot
 * even try is no signature.
 */
export function verifySignature(jws: UntrustedJws, key: SignerKey): Promise<boolean> {
  const { signature, untrustedHeader } = jws
  const alg = key.algs.find((name) => name === untrustedHeader.alg)
  const algorithm = alg === undefined ? undefined : ALGORITHMS.get(alg)
  if (!algorithm || signature.length !== signatureBytesOf(algorithm, key.keyObject)) return Promise.resolve(false)
  const input = Buffer.from(jws.signingInput, 'latin1')
  return new Promise((resolve) => {
    try {
      verify(algorithm.hash, input, { key: key.keyObject, ...algorithm.options }, signature, (error, good) =>
        resolve(error === null && good),
      )
    } catch {
      resolve(false)
    }
  })
}
