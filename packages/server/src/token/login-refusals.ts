import {
  describeCause,
  findPolicyRefusal,
  isLoginAllowed,
  isStepUpNeeded,
  isTrustedFor,
  type JsonObject,
  type LoginClaims,
  type PolicyFacts,
  policyRefusalText,
  RULE_REFUSALS,
  type RuleBudget,
  type RuleRefusal,
  type RuleRequest,
  readSessionClaims,
  STEP_UP_REASONS,
  type StepUpReason,
  type VerifiedToken,
  visible,
} from '@countersign/core'
import type { StoredAuthPolicy } from '../store/auth-policy-row.ts'
import { isDisabled, isExpired, type StoredIdentity } from '../store/identity-row.ts'
import { findAuthPolicy } from '../store/reads/auth-policy-reads.ts'
import { findIdentityByClaim } from '../store/reads/identity-reads.ts'
import type { Revocation } from '../store/reads/token-revocation-reads.ts'
import type { StoredSigner } from '../store/signer-row.ts'
import type { ReadDatabase } from '../store/store.ts'
import type { LoginRefusal } from './decision-reason.ts'
import { quoted } from './quoted.ts'
import { revokedText } from './revoked-text.ts'

/** A login with an accepted token, and the identity that its claim names. */
export interface LoginAttempt {
  readonly signer: StoredSigner
  readonly claim: string
  /** What the token says about the login at the identity provider. */
  readonly loginClaims: LoginClaims
  /** For the rule of the policy. */
  readonly claims: JsonObject
  readonly request: RuleRequest | undefined
  readonly identity: StoredIdentity | undefined
  readonly policy: StoredAuthPolicy | undefined
  readonly now: number
  /** The revocation by which the token is refused. Loaded for explanations only: the transaction that opens the session reads it again. */
  readonly revocation?: Revocation | undefined
}

/** An attempt with the verdict of the policy's rule, which is evaluated once: it may take milliseconds. */
export interface JudgedAttempt extends LoginAttempt {
  readonly ruleRefusal: RuleRefusal | undefined
}

interface RefusalRule {
  readonly refusal: LoginRefusal
  applies(attempt: JudgedAttempt): boolean
  text(attempt: LoginAttempt): string
}

const listed = (values: readonly string[]): string => values.map(quoted).join(', ')

/** For an administrator: what the login at the identity provider lacks. */
export const STEP_UP_TEXTS: Readonly<
  Record<StepUpReason, (attempt: Pick<LoginAttempt, 'policy' | 'loginClaims'>) => string>
> = {
  'acr-insufficient': ({ policy, loginClaims: { acr } }) =>
    `a login at the identity provider with an acr of ${listed(policy?.primary.extJwt.requireAcr ?? [])}, which the policy ${quoted(policy?.name ?? '')} requires: the token has ${acr === null ? 'none' : quoted(acr)}`,
  'amr-insufficient': ({ policy, loginClaims: { amr } }) =>
    `a login at the identity provider by ${listed(policy?.primary.extJwt.requireAmr ?? [])} (amr), which the policy ${quoted(policy?.name ?? '')} requires: the token has ${amr === null ? 'none' : listed(amr)}`,
  'authentication-too-old': ({ policy, loginClaims: { authenticatedAt } }) =>
    `a login at the identity provider in the last ${policy?.primary.extJwt.maxAuthAgeSeconds} seconds, which the policy ${quoted(policy?.name ?? '')} requires: the token has ${authenticatedAt === null ? 'no auth_time' : `the auth_time ${new Date(authenticatedAt).toISOString()}`}`,
}

/** Names the identity provider that disabled the identity, where one did. */
function disabledText({ identity, signer }: LoginAttempt): string {
  const { name = '', disabledBySignerId: by = null, accountEvents = {} } = identity ?? {}
  if (by === null) return `the identity ${quoted(name)} is disabled: enable it`
  const { cause } = accountEvents[by] ?? {}
  const what = cause === undefined ? 'a message' : describeCause(cause)
  const whose = by === signer.id ? quoted(signer.name) : `with the id ${quoted(by)}`
  return `the identity ${quoted(name)} was disabled by ${what} of the signer ${whose}: its identity provider can enable it, or an administrator`
}

const STEP_UP_RULES: readonly RefusalRule[] = STEP_UP_REASONS.map((refusal) => ({
  refusal,
  applies: ({ policy, loginClaims, now }) =>
    policy !== undefined && isStepUpNeeded(refusal, policy.primary.extJwt, loginClaims, now),
  text: (attempt) => STEP_UP_TEXTS[refusal](attempt),
}))

/** What the rule of the policy sees. */
function factsOf({ claims, signer, request, now }: LoginAttempt, identity: StoredIdentity): PolicyFacts {
  return { claims, signer, request, identity, nowMs: now }
}

const POLICY_RULES: readonly RefusalRule[] = RULE_REFUSALS.map((refusal) => ({
  refusal,
  applies: ({ ruleRefusal }) => ruleRefusal === refusal,
  text: (attempt) => {
    const { policy, identity } = attempt
    if (!policy || !identity) return ''
    return `a login that the rule of the policy ${quoted(policy.name)} accepts (acceptRule): ${visible(policyRefusalText(policy, factsOf(attempt, identity)))}`
  },
}))

/** Order matters: the first rule that applies is the reason of the refusal. */
const RULES: readonly RefusalRule[] = [
  {
    refusal: 'unknown-identity',
    applies: ({ identity }) => !identity,
    text: ({ signer, claim }) =>
      `an identity whose ${signer.useExternalId ? 'externalId' : 'id'} is ${quoted(claim)}, the value of ${quoted(signer.claimsProperty)}`,
  },
  {
    refusal: 'disabled',
    applies: ({ identity, now }) => identity !== undefined && isDisabled(identity, now),
    text: disabledText,
  },
  {
    refusal: 'identity-expired',
    applies: ({ identity, now }) => identity !== undefined && isExpired(identity, now),
    text: ({ identity }) =>
      `the access of the identity ${quoted(identity?.name ?? '')} has expired: change its expiresAt`,
  },
  {
    refusal: 'not-allowed',
    applies: ({ identity, policy }) => identity !== undefined && !policy?.primary.extJwt.allowed,
    text: ({ policy }) => `the policy ${quoted(policy?.name ?? '')} does not allow External JWT authentication`,
  },
  {
    refusal: 'signer-not-allowed',
    applies: ({ signer, policy }) =>
      policy?.primary.extJwt.allowed === true && !isLoginAllowed(policy, { method: 'ext-jwt', signerId: signer.id }),
    text: ({ signer, policy }) =>
      `the signer ${quoted(signer.name)} is not among the allowed signers of the policy ${quoted(policy?.name ?? '')}`,
  },
  {
    refusal: 'signer-not-trusted',
    applies: ({ signer, identity }) => identity !== undefined && !isTrustedFor(signer.trust, identity),
    text: ({ signer }) =>
      `the signer ${quoted(signer.name)} is not trusted, since it was last written without administrator rights: it cannot log in identities that are administrators or hold permissions until an administrator trusts it`,
  },
  {
    refusal: 'token-revoked',
    applies: ({ revocation }) => revocation !== undefined,
    text: ({ signer, revocation }) => revokedText(signer, revocation),
  },
  ...STEP_UP_RULES,
  ...POLICY_RULES,
]

/** What an accepted token says about its subject. */
export type TokenSubject = Pick<LoginAttempt, 'claim' | 'loginClaims' | 'claims' | 'request'>

export function subjectOf(
  { identityClaim, claims }: Pick<VerifiedToken, 'identityClaim' | 'claims'>,
  request: RuleRequest | undefined,
): TokenSubject {
  return { claim: identityClaim, loginClaims: readSessionClaims(claims), claims, request }
}

/** Source of policies: the store, or a cache. */
interface PolicySource {
  find(id: string): Promise<StoredAuthPolicy | undefined>
}

/** Reads the identity that the claim of an accepted token names. Does the same work when it does not exist. */
export async function loadAttempt(
  db: ReadDatabase,
  signer: StoredSigner,
  subject: TokenSubject,
  now: number,
  policies: PolicySource = { find: (id) => findAuthPolicy(db, id) },
): Promise<LoginAttempt> {
  const identity = await findIdentityByClaim(db, signer, subject.claim)
  const policy = await policies.find(identity?.authPolicyId ?? '')
  return { signer, ...subject, identity, policy, now }
}

/** Evaluates the rule of the policy. When the budget is spent, it refuses. */
export function judgeAttempt(attempt: LoginAttempt, budget?: RuleBudget): JudgedAttempt {
  const { policy, identity } = attempt
  const ruleRefusal = policy && identity && findPolicyRefusal(policy, factsOf(attempt, identity), budget)
  return { ...attempt, ruleRefusal }
}

/** Returns the first refusal; undefined when the login is allowed. Evaluates every rule: the time must not reveal which one refuses. */
export function findLoginRefusal(attempt: JudgedAttempt): LoginRefusal | undefined {
  let first: LoginRefusal | undefined
  for (const { refusal, applies } of RULES) {
    const isRefused = applies(attempt)
    first ??= isRefused ? refusal : undefined
  }
  return first
}

/** What the refusal of a login says to an administrator. Empty when it is allowed. */
export function loginRefusalText(attempt: JudgedAttempt): string {
  return RULES.find(({ applies }) => applies(attempt))?.text(attempt) ?? ''
}

/** Lists for an administrator every refusal, and the second factors that the login would require. */
export function missingForLogin(attempt: JudgedAttempt): string[] {
  const refusals = RULES.filter(({ applies }) => applies(attempt)).map(({ text }) => text(attempt))
  return [...refusals, ...secondFactors(attempt)]
}

function secondFactors({ identity, policy }: LoginAttempt): string[] {
  if (!policy) return []
  const { requireTotp, requireExtJwtSigner, requirePasskey } = policy.secondary
  const required = `a second factor, which the policy ${quoted(policy.name)} requires`
  const hasCodes = !requireTotp && identity !== undefined && identity.verifiedTotpId !== null
  return [
    ...(hasCodes ? [`a second factor, which the identity ${quoted(identity.name)} has set up: a TOTP code`] : []),
    ...(requireTotp ? [`${required}: a TOTP code`] : []),
    ...(requirePasskey ? [`${required}: a passkey`] : []),
    ...(requireExtJwtSigner ? [`${required}: a token of the signer with the id ${quoted(requireExtJwtSigner)}`] : []),
  ]
}
