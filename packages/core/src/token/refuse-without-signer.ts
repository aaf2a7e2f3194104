import { CheckRecord } from './check-outcome.ts'
import type { UntrustedJws } from './jws.ts'
import { type RefusedVerdict, shown } from './verdict.ts'

/** The verdict on a token of the right form for which no signer was found: its issuer is unknown, or known with other audiences only. */
export function refuseWithoutSigner(jws: UntrustedJws, issuerKnown: boolean): RefusedVerdict {
  const { iss, aud } = jws.untrustedClaims
  const record = new CheckRecord(false)
  const refusal = issuerKnown ? undefined : 'issuer-unknown'
  const goesOn = record.add('issuer', { expected: 'the issuer of an enabled signer', received: shown(iss), refusal })
  if (goesOn) {
    const expected = 'the audience of an enabled signer with this issuer'
    record.add('audience', { expected, received: shown(aud), refusal: 'audience-mismatch' })
  }
  return record.refuse()
}
