/** The part of core that reads and builds keys. */
export { algorithmsOf } from '../../../core/src/key/algorithms.ts'
export { buildCertificateKey } from '../../../core/src/key/certificate-key.ts'
export { type KeySet, KeySetError, readKeySet } from '../../../core/src/key/key-set.ts'
export type { SignerKey, SignerKeys } from '../../../core/src/key/signer-key.ts'
