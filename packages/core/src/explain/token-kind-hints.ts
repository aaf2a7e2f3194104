import { audiencesOf, type UntrustedJws } from '../token/jws.ts'
import type { CheckName } from '../token/verdict.ts'
import { type Hint, hint, quoted } from './hint.ts'
import type { HintSubject } from './hint-subject.ts'
import { findTokenMark, type TokenMark } from './token-kind.ts'

/** What goes wrong when the other token of the provider's answer is sent. An expired ID token, say, may still be the right one. */
const TELLING_CHECKS: readonly CheckName[] = ['issuer', 'audience', 'requiredClaims', 'identityClaim']

/** Tells of a refresh token, which is nothing for any signer. */
export function refreshTokenHints({ untrustedHeader, untrustedClaims }: UntrustedJws): Hint[] {
  const mark = findTokenMark(untrustedHeader, untrustedClaims)
  if (mark?.kind !== 'refresh') return []
  const text = `this is a refresh token (${mark.sign}), which is for the provider alone: send the access token of the same answer`
  return [hint('refresh-token', text)]
}

/** Tells of an ID token where the signer is for access tokens, and of the reverse. */
export function tokenKindHints(subject: HintSubject): Hint[] {
  const { signer, verdict, jws } = subject
  const mark = findMark(subject)
  if (!mark) return []
  const name = quoted(signer.name)
  if (!verdict.checks.some(({ check, pass }) => !pass && TELLING_CHECKS.includes(check))) return []
  if (mark.kind === 'id' && signer.targetToken === 'ACCESS') {
    const clientId = audiencesOf(jws.untrustedClaims)[0]
    const audience = clientId === undefined ? 'the client id' : quoted(clientId)
    const text = `this is an ID token (${mark.sign}), the signer ${name} is for access tokens: send the access token of the same answer, or set targetToken to ID and audience to ${audience}`
    return [hint('id-token', text)]
  }
  if (mark.kind === 'access' && signer.targetToken === 'ID') {
    const text = `this is an access token (${mark.sign}), the signer ${name} is for ID tokens: send the ID token of the same answer, or set targetToken to ACCESS and audience to the one of your API`
    return [hint('access-token', text)]
  }
  return []
}

/** A token for the client itself is an ID token, where it says nothing else. */
function findMark({ jws, signer }: HintSubject): TokenMark | undefined {
  const mark = findTokenMark(jws.untrustedHeader, jws.untrustedClaims)
  const { clientId } = signer
  if (mark || clientId === null || !audiencesOf(jws.untrustedClaims).includes(clientId)) return mark
  return { kind: 'id', sign: `its aud is the client id ${quoted(clientId)}` }
}
