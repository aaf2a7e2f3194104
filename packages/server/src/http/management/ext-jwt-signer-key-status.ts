import {
  AppError,
  BoundedCache,
  certificateKeyFacts,
  type EnrollPolicy,
  findEnrollProblem,
  type KeyFacts,
  signerWarnings,
} from '@countersign/core'
import type { StoredSigner } from '../../store/signer-row.ts'

/** What is known about the keys of a signer, and what an administrator should hear about it. */
export interface KeyStatus {
  readonly source: 'certificate' | 'jwks'
  readonly keys: readonly (KeyFacts & { readonly kid: string })[]
  readonly lastSuccessAt: string | null
  readonly lastError: string | null
  readonly nextRefreshAt: string | null
  readonly stale: boolean
  readonly warnings: readonly string[]
}

export type DescribeKeys = (signer: StoredSigner, enrollPolicy: EnrollPolicy | undefined, now: number) => KeyStatus

const MAX_REMEMBERED_CERTIFICATES = 1_000

/** Tells the state of a signer's keys. Reading a certificate costs a hundred times what the rest does, so it is done once. */
export function createKeyDescriber(): DescribeKeys {
  const remembered = new BoundedCache<string, KeyFacts>(MAX_REMEMBERED_CERTIFICATES)

  const factsOf = (fingerprint: string, certPem: string): KeyFacts => {
    const known = remembered.get(fingerprint)
    if (known) return known
    const facts = certificateKeyFacts(certPem)
    remembered.set(fingerprint, facts)
    return facts
  }

  return (signer, enrollPolicy, now) => {
    const { certificate, certPem, kid } = signer
    const warnings = signerWarnings(signer, certificate, now)
    const enrollProblem = findEnrollProblem(signer, enrollPolicy)
    if (enrollProblem) warnings.push(`nobody can enroll: ${enrollProblem}`)
    const keys: (KeyFacts & { kid: string })[] = []
    if (certificate && certPem !== null) {
      try {
        keys.push({ kid: kid ?? certificate.fingerprint, ...factsOf(certificate.fingerprint, certPem) })
      } catch (error) {
        // Stored by a release with other rules: the signer must stay visible, so that somebody can mend it.
        if (!(error instanceof AppError)) throw error
        warnings.push(`the certificate is not accepted, no token verifies: ${error.message}`)
      }
    }
    return {
      source: certificate ? 'certificate' : 'jwks',
      keys,
      lastSuccessAt: null,
      lastError: null,
      nextRefreshAt: null,
      stale: false,
      warnings,
    }
  }
}
