import {
  audiencesOf,
  type ChallengeError,
  enrollPolicyId,
  type JsonObject,
  MAX_CANDIDATES,
  planTokenSync,
  policyClaims,
  policyReferences,
  REFUSALS,
  selectedClaim,
  unionOfAttributes,
  type VerifiedToken,
} from '@countersign/core'
import { stateOfSession } from '../../session/session-state.ts'
import type { StoredIdentity } from '../../store/identity-row.ts'
import type { KeptLogin } from '../../store/kept-login.ts'
import type { StoredSigner } from '../../store/signer-row.ts'
import { byChallenge } from '../../token/challenge-order.ts'
import { attemptOfKept, findUnknown, type JudgedClaims, judgeKeptClaims } from '../../token/judge-kept-login.ts'
import { findLoginRefusal, judgeAttempt, type LoginAttempt, loginRefusalText } from '../../token/login-refusals.ts'
import { RuleBudgets } from '../../token/rule-budgets.ts'
import type { World } from './world.ts'

/** What a login would lead to. */
export type Prediction =
  | {
      readonly outcome: 'accepted'
      readonly signerId: string
      readonly identity: StoredIdentity
      readonly attributes: readonly string[]
      /** The second factors that the session would lack. */
      readonly missing: readonly string[]
    }
  | Refused
  | { readonly outcome: 'unknown'; readonly signerId: string; readonly text: string }
  | Provisioned

/** The signer enrolls the unknown subject, which only the store can tell. */
interface Provisioned {
  readonly outcome: 'provisioned'
  readonly signer: StoredSigner
  readonly claim: string
  readonly ruleAttributes: readonly string[]
  readonly refused: Refused
}

interface Refused {
  readonly outcome: 'refused'
  readonly signerId: string
  readonly reason: string
  readonly text: string
  readonly identity: StoredIdentity | undefined
}

/** What one signer says to the claims. */
type Judged = JudgedClaims & { readonly signer: StoredSigner }

/** What the signers of a world say to a kept login, before its identity is looked up. */
export interface JudgedLogin {
  readonly login: KeptLogin
  readonly judged: readonly Judged[]
}

/** Asks the signers that the token names, in the order of a login. */
export function judgeLogin(world: World, login: KeptLogin): JudgedLogin {
  const { claims } = login
  const issuer = typeof claims.iss === 'string' ? claims.iss : undefined
  const { candidates } = world.enabled.choose(issuer, audiencesOf(claims))
  if (candidates.length > MAX_CANDIDATES) return { login, judged: [] }
  const rules = new RuleBudgets()
  const judged = candidates.map(({ stored, verify }) => ({
    signer: stored,
    ...judgeKeptClaims(stored, verify, login, rules.of(stored)),
  }))
  return { login, judged }
}

/** The keys of the identities that the decision needs. */
export function identityKeysOf({
  judged,
  login,
}: JudgedLogin): { readonly useExternalId: boolean; readonly claim: string }[] {
  return judged.flatMap((one) => {
    const { useExternalId } = one.signer
    if ('unknown' in one) return namedBy(one.signer, login).map((claim) => ({ useExternalId, claim }))
    return one.verdict.accepted ? [{ useExternalId, claim: one.verdict.identityClaim }] : []
  })
}

/** The kept claim that names an identity; empty when there is none. */
function namedBy({ claimsProperty }: StoredSigner, { claims }: KeptLogin): readonly string[] {
  const claim = selectedClaim(claimsProperty, claims)
  return typeof claim === 'string' ? [claim] : []
}

/** Whether a login depends on nothing that differs between two worlds: it is unchanged, also where it cannot be predicted. */
export function isUntouched(before: World, after: World, was: JudgedLogin, would: JudgedLogin): boolean {
  return (
    was.judged.length === would.judged.length &&
    was.judged.every((one, index) => {
      const { signer } = one
      if (signer !== would.judged[index]?.signer) return false
      if ('verdict' in one && !one.verdict.accepted) return true
      const claims = 'verdict' in one && one.verdict.accepted ? [one.verdict.identityClaim] : namedBy(signer, was.login)
      return claims.length > 0 && claims.every((claim) => isSameSubject(before, after, signer, claim))
    })
  )
}

function isSameSubject(before: World, after: World, signer: StoredSigner, claim: string): boolean {
  const identity = before.findIdentityByClaim(signer, claim)
  if (identity !== after.findIdentityByClaim(signer, claim)) return false
  const policyId = identity?.authPolicyId ?? enrollPolicyId(signer)
  return before.findPolicy(policyId) === after.findPolicy(policyId)
}

/** Decides as a login does: the first signer that accepts the token for an identity whose policy allows it. */
export function predictLogin(world: World, { login, judged }: JudgedLogin, now: number): Prediction {
  const refused: (Refused & { readonly challenge: ChallengeError })[] = []
  const rules = new RuleBudgets()
  let provisioning: Pick<Provisioned, 'signer' | 'claim' | 'ruleAttributes'> | undefined
  for (const one of judged) {
    const { signer } = one
    if ('unknown' in one) return { outcome: 'unknown', signerId: signer.id, text: one.unknown }
    const { verdict } = one
    if (!verdict.accepted) {
      const { check, expected, received } = verdict.describe()
      const text = `${check}: expected ${expected}; received ${received ?? 'nothing'}`
      refused.push({ ...refusal(signer.id, verdict.reason, text), challenge: REFUSALS[verdict.reason] })
      continue
    }
    const found = attemptOf(world, signer, verdict.identityClaim, login, now)
    const unknown = found.policy && findUnknown(policyReferences(found.policy), login)
    if (unknown) return { outcome: 'unknown', signerId: signer.id, text: unknown }
    const attempt = judgeAttempt(found, rules.ofPolicies(signer))
    const reason = findLoginRefusal(attempt)
    if (reason === undefined && attempt.identity)
      return accepted(attempt, attempt.identity, login, verdict.ruleAttributes)
    if (reason === 'unknown-identity' && signer.provisionOnLogin) {
      if (provisioning)
        return { outcome: 'unknown', signerId: signer.id, text: 'several signers would enroll the subject' }
      provisioning = { signer, claim: verdict.identityClaim, ruleAttributes: verdict.ruleAttributes }
    }
    const named = refusal(signer.id, reason ?? 'not-allowed', loginRefusalText(attempt), attempt.identity)
    refused.push({ ...named, challenge: 'missing' })
  }
  const [first = noSigner(world, login)] = refused.toSorted(byChallenge)
  if (provisioning) return { outcome: 'provisioned', ...provisioning, refused: first }
  return first
}

function accepted(
  attempt: LoginAttempt,
  identity: StoredIdentity,
  { claims, at }: KeptLogin,
  ruleAttributes: readonly string[],
): Prediction {
  const { signer, now } = attempt
  const attributes = attributesAfterLogin(signer, { claims: laterClaims(claims, now - at), ruleAttributes }, identity)
  return { outcome: 'accepted', signerId: signer.id, identity, attributes, missing: missingFactors(attempt, identity) }
}

export function missingFactors(
  { signer, policy, loginClaims, claims, now }: LoginAttempt,
  identity: Pick<StoredIdentity, 'verifiedTotpId'>,
): readonly string[] {
  if (!policy) return []
  const session = { method: 'ext-jwt', signerId: signer.id, passedTotpId: null, passedPasskeyId: null } as const
  const ruleClaims = policyClaims(policy, claims)
  return stateOfSession(
    { ...session, ...loginClaims, ruleClaims, createdAt: now, updatedAt: now },
    identity.verifiedTotpId,
    policy,
    now,
  ).missing
}

/** The attributes of an identity after a login with these claims. */
function attributesAfterLogin(
  signer: StoredSigner,
  token: Pick<VerifiedToken, 'claims' | 'ruleAttributes'>,
  identity: StoredIdentity,
): readonly string[] {
  const attributes = planTokenSync(signer, token, identity)?.attributes
  if (attributes === undefined) return identity.attributes
  const others = identity.suppliedAttributes.filter(
    ({ signerId, channel }) => signerId !== signer.id || channel !== 'token',
  )
  const supplied = { signerId: signer.id, channel: 'token', attributes } as const
  return unionOfAttributes({ ...identity, suppliedAttributes: [...others, supplied] })
}

/** The token as the identity provider would issue it now. The checks of its times are made at the time of the login. */
function laterClaims(claims: JsonObject, byMs: number): JsonObject {
  const seconds = Math.floor(byMs / 1000)
  return typeof claims.iat === 'number' ? { ...claims, iat: claims.iat + seconds } : claims
}

export function attemptOf(
  world: World,
  signer: StoredSigner,
  claim: string,
  login: KeptLogin,
  now: number,
): LoginAttempt {
  const identity = world.findIdentityByClaim(signer, claim)
  const policy = identity && world.findPolicy(identity.authPolicyId)
  return attemptOfKept(signer, { claim, identity, policy }, login, now)
}

function refusal(signerId: string, reason: string, text: string, identity?: StoredIdentity): Refused {
  return { outcome: 'refused', signerId, reason, text, identity }
}

/** No enabled signer has the issuer and the audience of the token. */
function noSigner(world: World, { signerId, claims }: KeptLogin): Refused & { readonly challenge: ChallengeError } {
  const signer = world.findSigner(signerId)
  const isIssuerKnown = world.enabled.choose(String(claims.iss), []).issuerKnown
  const reason = isIssuerKnown ? 'audience-mismatch' : 'issuer-unknown'
  const text = !signer
    ? 'the signer is deleted'
    : signer.enabled
      ? 'no enabled signer has the issuer and the audience of the token'
      : 'the signer is disabled'
  return { ...refusal(signerId, reason, text), challenge: REFUSALS[reason] }
}
