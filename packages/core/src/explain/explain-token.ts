import type { UntrustedJws } from '../token/jws.ts'
import { readJws } from '../token/read-jws.ts'
import type { CheckName, Verdict } from '../token/verdict.ts'
import { audienceHints } from './audience-hints.ts'
import { identityClaimHints, leftOutClaimHints, requiredClaimHints } from './claim-hints.ts'
import type { ExplainedSigner, Explanation, JudgedSigner } from './explanation.ts'
import { formatHints } from './format-hints.ts'
import { type Hint, hint, quoted } from './hint.ts'
import type { HintSubject } from './hint-subject.ts'
import { issuerHints, unknownIssuerHint } from './issuer-hints.ts'
import { findIssuerLikeness, ISSUER_LIKENESSES } from './issuer-likeness.ts'
import { algorithmHints, keyHints, kidHints, signatureHints } from './key-hints.ts'
import { expiryHints, issuedAtHints, notBeforeHints } from './time-hints.ts'
import { refreshTokenHints, tokenKindHints } from './token-kind-hints.ts'

const MAX_HINTS = 20
/** Of signers that do not fit, how many are compared with the token in words. */
const MAX_COMPARED = 5

/**
 * Explains why signers take a token or not, in words for people. `judged` are the signers that fit or nearly fit (`findNearSigners`), each
 * with a verdict of the verify function that was asked to go on after a refusal; empty for a token that has not even the right form.
 * Decides nothing: the verdicts do.
 */
export function explainToken(token: string, judged: readonly JudgedSigner[], nowMs: number): Explanation {
  return { signers: judged.map(explainSigner), hints: findHints(token, judged, nowMs).map(({ text }) => text) }
}

/** The hints of an explanation with their kinds. */
export function findHints(token: string, judged: readonly JudgedSigner[], nowMs: number): Hint[] {
  const reading = readJws(token)
  if (!reading.ok) return formatHints(token, reading.reason, reading.detail)
  const { jws } = reading
  // Left out claims are worth telling of a token that is taken, too: enrollment may read them.
  const leftOut = leftOutClaimHints(
    jws.untrustedClaims,
    judged.map(({ signer }) => signer),
  )
  const hints = [...refusalHints(jws, judged, nowMs), ...leftOut]
  const texts = hints.map(({ text }) => text)
  return hints.filter(({ text }, index) => texts.indexOf(text) === index).slice(0, MAX_HINTS)
}

function explainSigner({ signer, verdict }: JudgedSigner): ExplainedSigner {
  const reason = signer.enabled ? verdict.reason : 'signer-disabled'
  return { signerId: signer.id, checks: verdict.checks, reason }
}

function refusalHints(jws: UntrustedJws, judged: readonly JudgedSigner[], nowMs: number): Hint[] {
  if (judged.some(({ signer, verdict }) => signer.enabled && verdict.accepted)) return []
  const refresh = refreshTokenHints(jws)
  if (refresh.length > 0) return refresh
  const subjects = judged.map((one): HintSubject => ({ ...one, jws, nowMs }))
  return [...algorithmHints(jws.untrustedHeader), ...signerHints(jws, subjects)]
}

function signerHints(jws: UntrustedJws, subjects: readonly HintSubject[]): Hint[] {
  const fitting = subjects.filter(({ verdict }) => isFitting(verdict.checks))
  if (fitting.length > 0) return fitting.flatMap((subject) => [...tokenKindHints(subject), ...checkHints(subject)])
  const byDistance = subjects.toSorted((left, right) => distance(left) - distance(right))
  const near = byDistance.filter((subject) => distance(subject) < FAR_OFF).slice(0, MAX_COMPARED)
  const [nearest] = near
  if (!nearest) {
    const others = byDistance.slice(0, MAX_COMPARED).flatMap(issuerHints)
    return others.length > 0 ? others : [unknownIssuerHint({ jws })]
  }
  const compared = near.flatMap((subject) => [...issuerHints(subject), ...audienceHints(subject)])
  return [...tokenKindHints(nearest), ...compared, ...checkHints(nearest)]
}

const HINTS_BY_CHECK: Readonly<Partial<Record<CheckName, (subject: HintSubject) => Hint[]>>> = {
  kid: kidHints,
  key: keyHints,
  signature: signatureHints,
  expiry: expiryHints,
  notBefore: notBeforeHints,
  issuedAt: issuedAtHints,
  requiredClaims: requiredClaimHints,
  identityClaim: identityClaimHints,
}
const CHECKS_OF_THE_KEY: readonly CheckName[] = ['kid', 'key', 'signature']

/** What the checks beyond issuer and audience found: worth telling only where the token could have been meant for this very signer. */
function checkHints(subject: HintSubject): Hint[] {
  const { signer, verdict, jws } = subject
  const hopeless = algorithmHints(jws.untrustedHeader).length > 0
  const failed = verdict.checks.filter(({ pass }) => !pass).map(({ check }) => check)
  const told = failed.filter((check) => !(hopeless && CHECKS_OF_THE_KEY.includes(check)))
  const hints = told.flatMap((check) => HINTS_BY_CHECK[check]?.(subject) ?? [])
  if (signer.enabled) return hints
  const text = `the signer ${quoted(signer.name)} is disabled, so it takes no token: set enabled to true, if it should`
  return [...hints, hint('signer-disabled', text)]
}

function isFitting(checks: Verdict['checks']): boolean {
  return (['issuer', 'audience'] as const).every((name) => checks.some(({ check, pass }) => check === name && pass))
}

/** From here on it is another tenant at best, so that keys and claims cannot be compared. */
const FAR_OFF = ISSUER_LIKENESSES.indexOf('entra-tenant')

function distance({ jws, signer }: HintSubject): number {
  const { iss } = jws.untrustedClaims
  const likeness = typeof iss === 'string' ? findIssuerLikeness(iss, signer.issuer) : undefined
  return likeness === undefined ? ISSUER_LIKENESSES.length : ISSUER_LIKENESSES.indexOf(likeness)
}
