import { audiencesOf, type UntrustedJws } from '../token/jws.ts'
import type { CheckName } from '../token/verdict.ts'
import { type DetectedTokenKind, detectTokenKind } from './detect-token-kind.ts'
import { type Hint, hint, quoted } from './hint.ts'
import type { HintSubject } from './hint-subject.ts'

/** The checks that fail when the wrong token of the provider's response is sent. Others, such as expiry, can fail for the right one, too. */
const CHECKS_OF_WRONG_KIND: readonly CheckName[] = ['issuer', 'audience', 'requiredClaims', 'identityClaim']

/** A hint when the token is a refresh token, which no signer accepts. */
export function refreshTokenHints({ untrustedHeader, untrustedClaims }: UntrustedJws): Hint[] {
  const detected = detectTokenKind(untrustedHeader, untrustedClaims)
  if (detected?.kind !== 'refresh') return []
  const text = `this is a refresh token (${detected.evidence}), which only the provider accepts: send the access token from the same response`
  return [hint('refresh-token', text)]
}

/** A hint when an ID token is sent to a signer for access tokens, or the reverse. */
export function tokenKindHints(subject: HintSubject): Hint[] {
  const { signer, verdict, jws } = subject
  const detected = detectKind(subject)
  if (!detected) return []
  const name = quoted(signer.name)
  if (!verdict.checks.some(({ check, pass }) => !pass && CHECKS_OF_WRONG_KIND.includes(check))) return []
  if (detected.kind === 'id' && signer.targetToken === 'ACCESS') {
    const clientId = audiencesOf(jws.untrustedClaims)[0]
    const audience = clientId === undefined ? 'the client id' : quoted(clientId)
    const text = `this is an ID token (${detected.evidence}), the signer ${name} is for access tokens: send the access token from the same response, or set targetToken to ID and audience to ${audience}`
    return [hint('id-token', text)]
  }
  if (detected.kind === 'access' && signer.targetToken === 'ID') {
    const text = `this is an access token (${detected.evidence}), the signer ${name} is for ID tokens: send the ID token from the same response, or set targetToken to ACCESS and audience to that of your API`
    return [hint('access-token', text)]
  }
  return []
}

/** A token without evidence of its kind whose audience is the client id is an ID token. */
function detectKind({ jws, signer }: HintSubject): DetectedTokenKind | undefined {
  const detected = detectTokenKind(jws.untrustedHeader, jws.untrustedClaims)
  const { clientId } = signer
  if (detected || clientId === null || !audiencesOf(jws.untrustedClaims).includes(clientId)) return detected
  return { kind: 'id', evidence: `its aud is the client id ${quoted(clientId)}` }
}
