import {
  type ChallengeError as ChallengeKind,
  findPolicyRefusal,
  findStepUp,
  isCodeMissing,
  isLinkedTo,
  isPasskeyMissing,
  isTrustedFor,
  type LoginRequirements,
  NO_SIGNER,
  type RefusalReason,
  type RuleRefusal,
  type RuleRequest,
  revocableToken,
  type StepUpReason,
  sessionClaims,
} from '@countersign/core'
import type { Clock } from '../platform/clock.ts'
import type { LiveSession } from '../session/live-sessions.ts'
import type { SignerRevision } from '../store/actor-credential.ts'
import type { StoredSigner } from '../store/signer-row.ts'
import type { KnownRevocations } from '../token/known-revocations.ts'
import type { TokenContext } from '../token/request-proofs.ts'
import { RuleBudgets } from '../token/rule-budgets.ts'
import { ALL_RULES, sessionRuleInTurn } from '../token/rule-turns.ts'
import type { DirectorySigner, SignerDirectory } from '../token/signer-directory.ts'
import type { TokenVerifier } from '../token/token-verifier.ts'
import type { IdentitySync } from './identity-sync.ts'

/** A second factor that a session lacks. */
export type MissingFactor =
  | { readonly kind: 'totp'; readonly isEnrolled: boolean }
  | { readonly kind: 'passkey'; readonly isEnrolled: boolean }
  | {
      readonly kind: 'ext-jwt'
      readonly challenge: ChallengeKind
      /** Why the last token was refused. */
      readonly reason?: RefusalReason | undefined
      /** The signer that the policy names; undefined when it was deleted. While it is disabled or not trusted, every token is refused. */
      readonly signer: StoredSigner | undefined
    }
  | {
      /** The login at the identity provider does not meet the policy (any more): a new one is needed. */
      readonly kind: 'step-up'
      readonly reason: StepUpReason
      readonly requirements: LoginRequirements
      /** The signer whose token opened the session. */
      readonly signer: StoredSigner | undefined
    }
  /** The rule of the policy refuses the session, or this request: nothing that the caller adds completes it. */
  | { readonly kind: 'rule'; readonly reason: RuleRefusal }

/**
 * Whether a session lacks a passkey that its identity has, its login at the identity provider does not meet the policy, or the rule of the policy refuses
 * the request: its holder may have stolen the first factor, and sets up no other one.
 */
export function maySetUpNothing(missing: readonly MissingFactor[]): boolean {
  return missing.some(
    (factor) => factor.kind === 'rule' || factor.kind === 'step-up' || (factor.kind === 'passkey' && factor.isEnrolled),
  )
}

/**
 * Whether a session that lacks these factors can use one-time codes that it has set up. With codes that the policy does not require, a thief of the
 * password could lock the owner out.
 */
export function canVerifyCodes(missing: readonly MissingFactor[]): boolean {
  return !maySetUpNothing(missing) && (missing.length === 0 || missing.some(({ kind }) => kind === 'totp'))
}

interface SecondFactorParts {
  readonly directory: Pick<SignerDirectory, 'enabled' | 'find'>
  readonly verifier: Pick<TokenVerifier, 'verifyBy'>
  readonly identitySync: Pick<IdentitySync, 'apply'>
  readonly revocations: Pick<KnownRevocations, 'isRevoked'>
  readonly clock: Clock
  /** Whether an identity has a passkey. */
  hasPasskey(identityId: string): Promise<boolean>
}

/** What decides which second factors a session needs and has. */
export type FactorSession = Pick<
  LiveSession,
  | 'identity'
  | 'policy'
  | 'login'
  | 'signerId'
  | 'acr'
  | 'amr'
  | 'authenticatedAt'
  | 'ruleClaims'
  | 'passedTotpId'
  | 'passedPasskeyId'
> & {
  /** Undefined until it is opened. */
  readonly id?: string
}

/** What a call lacks, and the signer that verified its second token; null when the policy requires none, or it is missing. */
export interface CheckedFactors {
  readonly missing: readonly MissingFactor[]
  readonly signer: SignerRevision | null
}

const NONE: CheckedFactors = { missing: [], signer: null }

/**
 * Checks on every call what the policy requires besides the session. A token must be sent with each call. For one-time codes the session records which enrollment it
 * passed, so that a new enrollment requires a new code. A passkey completes the session until it is removed.
 */
export class SecondFactor {
  readonly #parts: SecondFactorParts

  constructor(parts: SecondFactorParts) {
    this.#parts = parts
  }

  /** Returns what the session's current policy requires and the call lacks. */
  async findMissing(
    session: FactorSession,
    untrustedBearers: readonly string[],
    request: TokenContext,
  ): Promise<readonly MissingFactor[]> {
    return (await this.check(session, untrustedBearers, request)).missing
  }

  /** Like `findMissing`, with the signer of the token for the operation that rests on it. */
  async check(
    session: FactorSession,
    untrustedBearers: readonly string[],
    request: TokenContext,
  ): Promise<CheckedFactors> {
    const needsToken = session.policy.secondary.requireExtJwtSigner !== null
    const stepUp = this.#findStepUp(session)
    const hasRule = session.policy.acceptRule !== null
    if (!needsToken && !hasRule && stepUp === undefined && !lacksCode(session) && !lacksPasskey(session)) return NONE
    return this.#checkAll(session, stepUp, untrustedBearers, request)
  }

  async #checkAll(
    session: FactorSession,
    reason: StepUpReason | undefined,
    bearers: readonly string[],
    request: TokenContext,
  ): Promise<CheckedFactors> {
    const { requireExtJwtSigner } = session.policy.secondary
    const code = { kind: 'totp', isEnrolled: session.identity.verifiedTotpId !== null } as const
    const refusal = await this.#findRuleRefusal(session, request)
    const others: MissingFactor[] = [
      ...(refusal === undefined ? [] : [{ kind: 'rule', reason: refusal } as const]),
      ...(lacksCode(session) ? [code] : []),
      ...(lacksPasskey(session) ? [await this.#describePasskey(session)] : []),
      ...(reason === undefined ? [] : [await this.#describeStepUp(session, reason)]),
    ]
    if (requireExtJwtSigner === null) return { missing: others, signer: null }
    const token = await this.checkToken(session, requireExtJwtSigner, bearers, request)
    return 'kind' in token ? { missing: [...others, token], signer: null } : { missing: others, signer: token }
  }

  async #findRuleRefusal(session: FactorSession, request: RuleRequest): Promise<RuleRefusal | undefined> {
    const { id: sessionId, policy, identity, signerId, ruleClaims } = session
    if (policy.acceptRule === null) return undefined
    const signer = signerId === null ? undefined : await this.#parts.directory.find(signerId)
    const nowMs = this.#parts.clock.now()
    const facts = { ...sessionClaims(signerId, ruleClaims), signer: signer ?? NO_SIGNER, identity, request, nowMs }
    const turn = { identityId: identity.id, sessionId, address: request.address }
    return sessionRuleInTurn(policy, turn, () => findPolicyRefusal(policy, facts, ALL_RULES))
  }

  async #describePasskey({ identity }: FactorSession): Promise<MissingFactor> {
    return { kind: 'passkey', isEnrolled: await this.#parts.hasPasskey(identity.id) }
  }

  #findStepUp({ login, policy, acr, amr, authenticatedAt }: FactorSession): StepUpReason | undefined {
    if (login.method !== 'ext-jwt') return undefined
    return findStepUp(policy.primary.extJwt, { acr, amr, authenticatedAt }, this.#parts.clock.now())
  }

  async #describeStepUp({ policy, signerId }: FactorSession, reason: StepUpReason): Promise<MissingFactor> {
    const signer = await this.#parts.directory.find(signerId ?? '')
    return { kind: 'step-up', reason, requirements: policy.primary.extJwt, signer }
  }

  /** Checks that one of the tokens is of this signer and of the session's identity. Returns the signer, or what is missing. */
  async checkToken(
    session: Pick<FactorSession, 'identity'>,
    signerId: string,
    bearers: readonly string[],
    request: TokenContext,
  ): Promise<MissingFactor | SignerRevision> {
    const { directory, verifier, identitySync, revocations } = this.#parts
    const named = (await directory.enabled()).findById(signerId)
    const signer = named && isTrustedFor(named.stored.trust, session.identity) ? named : undefined
    let challenge: ChallengeKind = 'missing'
    let reason: RefusalReason | undefined
    const rules = new RuleBudgets()
    for (const bearer of signer ? bearers : []) {
      const verdict = await verifier.verifyBy(signer as DirectorySigner, bearer, request, { rules })
      // The token must belong to the session's identity: a thief must not complete a stolen session with another token.
      const isUsable = verdict.accepted && verdict.token.tokenUse === undefined
      if (signer && isUsable && isClaimOf(session, signer, verdict.token.identityClaim)) {
        const token = revocableToken(verdict.token)
        const isRevoked = isLinkedTo(session.identity, signerId) && (await revocations.isRevoked(signerId, token))
        const isFirst = isRevoked || (await request.proofs.use(verdict.token.proofUse, session.identity.id))
        if (!isFirst) reason = 'proof-replayed'
        if (!isRevoked && isFirst) {
          await identitySync.apply(signer.stored, verdict.token, session.identity, { isRepeated: true })
          return { id: signerId, revision: signer.stored.revision, token }
        }
      }
      // Each call needs a token of the second factor, so one that is accepted once can not be it.
      if (verdict.accepted && !isUsable) reason = 'token-used'
      if (!verdict.accepted) reason = verdict.reason
      const refusal = verdict.accepted ? 'invalid' : verdict.challenge
      if (challenge === 'missing' || refusal === 'expired') challenge = refusal
    }
    return { kind: 'ext-jwt', challenge, reason, signer: named?.stored ?? (await directory.find(signerId)) }
  }
}

function lacksCode({ identity: { verifiedTotpId }, policy, passedTotpId }: FactorSession): boolean {
  return isCodeMissing(policy, { verifiedTotpId, passedTotpId })
}

function lacksPasskey({ policy, login: { method }, passedPasskeyId }: FactorSession): boolean {
  return isPasskeyMissing(policy, { method, passedPasskeyId })
}

function isClaimOf({ identity }: Pick<FactorSession, 'identity'>, { stored }: DirectorySigner, claim: string): boolean {
  return claim === (stored.useExternalId ? identity.externalId : identity.id)
}
