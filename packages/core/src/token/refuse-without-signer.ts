import { CheckRecord } from './check-result.ts'
import type { UntrustedJws } from './jws.ts'
import { displayValue, type RefusedVerdict } from './verdict.ts'

/** The verdict on a well-formed token that no signer matches: its issuer is unknown, or known only with other audiences. */
export function refuseWithoutSigner(jws: UntrustedJws, issuerKnown: boolean): RefusedVerdict {
  const { iss, aud } = jws.untrustedClaims
  const record = new CheckRecord(false)
  const refusal = issuerKnown ? undefined : 'issuer-unknown'
  const issuerPassed = record.add('issuer', {
    expected: 'the issuer of an enabled signer',
    received: displayValue(iss),
    refusal,
  })
  if (issuerPassed) {
    const expected = 'the audience of an enabled signer with this issuer'
    record.add('audience', { expected, received: displayValue(aud), refusal: 'audience-mismatch' })
  }
  return record.refuse()
}
