import { CheckRecord } from './check-result.ts'
import type { UntrustedJws } from './jws.ts'
import { displayValue, type RefusedVerdict } from './verdict.ts'

/** The number of enabled signers that one token may name: each can cost a signature check, and the sender chooses the audiences. */
export const MAX_CANDIDATES = 10

/** The verdict on a well-formed token that names more than `MAX_CANDIDATES` signers. No signature is checked. */
export function refuseTooManySigners(jws: UntrustedJws): RefusedVerdict {
  const { iss, aud } = jws.untrustedClaims
  const record = new CheckRecord(false)
  record.add('issuer', { expected: 'the issuer of an enabled signer', received: displayValue(iss) })
  record.add('audience', {
    expected: `the audiences of at most ${MAX_CANDIDATES} enabled signers with this issuer`,
    received: displayValue(aud),
    refusal: 'too-many-signers',
  })
  return record.refuse()
}
