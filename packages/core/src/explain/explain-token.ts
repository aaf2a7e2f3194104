import type { UntrustedJws } from '../token/jws.ts'
import { readJws } from '../token/read-jws.ts'
import type { CheckName, Verdict } from '../token/verdict.ts'
import { audienceHints } from './audience-hints.ts'
import { identityClaimHints, omittedClaimHints, requiredClaimHints } from './claim-hints.ts'
import type { CheckedSigner, ExplainedSigner, Explanation } from './explanation.ts'
import { formatHints } from './format-hints.ts'
import { type Hint, hint, quoted } from './hint.ts'
import type { HintSubject } from './hint-subject.ts'
import { issuerHints, otherProviderHint, unknownIssuerHint } from './issuer-hints.ts'
import { findIssuerSimilarity, ISSUER_SIMILARITIES } from './issuer-similarity.ts'
import { algorithmHints, keyHints, kidHints, signatureHints } from './key-hints.ts'
import { possessionHints } from './possession-hints.ts'
import { ruleHints } from './rule-hints.ts'
import { expiryHints, issuedAtHints, notBeforeHints } from './time-hints.ts'
import { refreshTokenHints, tokenKindHints } from './token-kind-hints.ts'

const MAX_HINTS = 20
/** The number of signers with another issuer or audience that get hints. */
const MAX_COMPARED = 5

/**
 * Explains to an administrator why signers accept or refuse a token. `checked` are the signers of `findSimilarSigners`, or the one that the
 * administrator chose, each with a verdict of `verifyToken` with `continueAfterRefusal`. Pass none for a malformed token. Decides nothing: the verdicts do.
 */
export function explainToken(token: string, checked: readonly CheckedSigner[], nowMs: number): Explanation {
  return { signers: checked.map(explainSigner), hints: findHints(token, checked, nowMs).map(({ text }) => text) }
}

/** The hints of an explanation with their kinds. */
export function findHints(token: string, checked: readonly CheckedSigner[], nowMs: number): Hint[] {
  const reading = readJws(token)
  if (!reading.ok) return formatHints(token, reading.reason, reading.detail)
  const { jws } = reading
  // Also for an accepted token: enrollment may read the omitted claims.
  const omitted = omittedClaimHints(
    jws.untrustedClaims,
    checked.map(({ signer }) => signer),
  )
  const hints = [...refusalHints(jws, checked, nowMs), ...omitted]
  const texts = hints.map(({ text }) => text)
  return hints.filter(({ text }, index) => texts.indexOf(text) === index).slice(0, MAX_HINTS)
}

function explainSigner({ signer, verdict }: CheckedSigner): ExplainedSigner {
  const reason = signer.enabled ? verdict.reason : 'signer-disabled'
  return { signerId: signer.id, checks: verdict.checks, reason }
}

function refusalHints(jws: UntrustedJws, checked: readonly CheckedSigner[], nowMs: number): Hint[] {
  if (checked.some(({ signer, verdict }) => signer.enabled && verdict.accepted)) return []
  const refresh = refreshTokenHints(jws)
  if (refresh.length > 0) return refresh
  const subjects = checked.map((signer): HintSubject => ({ ...signer, jws, nowMs }))
  return [...algorithmHints(jws.untrustedHeader), ...signerHints(jws, subjects)]
}

function signerHints(jws: UntrustedJws, subjects: readonly HintSubject[]): Hint[] {
  const matching = subjects.filter(({ verdict }) => matchesSigner(verdict.checks))
  if (matching.length > 0) return matching.flatMap((subject) => [...tokenKindHints(subject), ...checkHints(subject)])
  const byDistance = subjects.toSorted((left, right) => distance(left) - distance(right))
  const similar = byDistance.filter((subject) => distance(subject) < OTHER_TENANT_DISTANCE).slice(0, MAX_COMPARED)
  const [nearest] = similar
  if (!nearest) {
    const others = byDistance.slice(0, MAX_COMPARED).flatMap(issuerHints)
    if (others.length > 0) return others
    const [chosen] = byDistance
    return [chosen ? otherProviderHint(chosen) : unknownIssuerHint({ jws })]
  }
  const compared = similar.flatMap((subject) => [...issuerHints(subject), ...audienceHints(subject)])
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
  acceptRule: ruleHints('acceptRule'),
  attributeRules: ruleHints('attributeRules'),
  possession: possessionHints('possession'),
  certificate: possessionHints('certificate'),
  proof: possessionHints('proof'),
  proofKey: possessionHints('proofKey'),
  proofMethod: possessionHints('proofMethod'),
  proofUrl: possessionHints('proofUrl'),
  proofToken: possessionHints('proofToken'),
  proofTime: possessionHints('proofTime'),
  proofNonce: possessionHints('proofNonce'),
  proofSignature: possessionHints('proofSignature'),
  proofUse: possessionHints('proofUse'),
  oneUse: possessionHints('oneUse'),
}
const KEY_CHECKS: readonly CheckName[] = ['kid', 'key', 'signature']

/** Hints of the checks after issuer and audience. Only useful when the token is likely intended for this signer. */
function checkHints(subject: HintSubject): Hint[] {
  const { signer, verdict, jws } = subject
  const algorithmIsUnusable = algorithmHints(jws.untrustedHeader).length > 0
  const failed = verdict.checks.filter(({ pass }) => !pass).map(({ check }) => check)
  const relevant = failed.filter((check) => !(algorithmIsUnusable && KEY_CHECKS.includes(check)))
  const hints = relevant.flatMap((check) => HINTS_BY_CHECK[check]?.(subject) ?? [])
  if (signer.enabled) return hints
  const text = `the signer ${quoted(signer.name)} is disabled, so it accepts no token: set enabled to true to use it`
  return [...hints, hint('signer-disabled', text)]
}

function matchesSigner(checks: Verdict['checks']): boolean {
  return (['issuer', 'audience'] as const).every((name) => checks.some(({ check, pass }) => check === name && pass))
}

/** From this distance on the issuer is at best another tenant, so that comparing keys and claims is pointless. */
const OTHER_TENANT_DISTANCE = ISSUER_SIMILARITIES.indexOf('entra-tenant')

function distance({ jws, signer }: HintSubject): number {
  const { iss } = jws.untrustedClaims
  const similarity = typeof iss === 'string' ? findIssuerSimilarity(iss, signer.issuer) : undefined
  return similarity === undefined ? ISSUER_SIMILARITIES.length : ISSUER_SIMILARITIES.indexOf(similarity)
}
