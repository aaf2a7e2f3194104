import { type EnrollPolicy, findEnrollPolicyError, nearMissText, signerWarnings } from '@countersign/core'
import type { KeySets } from '../../keyset/key-sets.ts'
import type { SignerKeyStatus } from '../../keyset/key-status.ts'
import type { StoredSigner } from '../../store/signer-row.ts'

/** The state of a signer's keys, with every warning about the signer. */
export function describeKeys(
  signer: StoredSigner,
  enrollPolicy: EnrollPolicy | undefined,
  now: number,
  signerKeys: Pick<KeySets, 'keyStatus'>,
): SignerKeyStatus {
  const status = signerKeys.keyStatus(signer)
  const enrollProblem = findEnrollPolicyError(signer, enrollPolicy)
  const warnings = [
    ...signer.nearMisses.map(nearMissText),
    ...signerWarnings(signer, signer.certificate, now, signer.certificates),
    ...(enrollProblem ? [`enrollment is not possible: ${enrollProblem}`] : []),
    ...status.warnings,
  ]
  return { ...status, warnings }
}
