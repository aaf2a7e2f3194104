import type { Authenticate } from '@countersign/contract'
import {
  type ChallengeError as ChallengeKind,
  type LoginRequirements,
  policyClaims,
  readSessionClaims,
  revocableToken,
  STEP_UP_REASONS,
  type VerifiedToken,
} from '@countersign/core'
import type { AttemptLimits } from '../limits/attempt-limits.ts'
import { limitUntrusted } from '../limits/limit-untrusted.ts'
import {
  type Authenticated,
  CredentialUsedError,
  type OpenSession,
  type SessionOptions,
  SignerChangedError,
  startSession,
  TokenRevokedError,
} from '../operations/api-session/start-session.ts'
import { noteUses, usesOf } from '../operations/possession/use-credentials.ts'
import type { LiveSession } from '../session/live-sessions.ts'
import type { StoredAuthPolicy } from '../store/auth-policy-row.ts'
import type { RequestSource } from '../store/operation-meta.ts'
import { authenticatorIdOfSigner } from '../store/reads/session-origin-reads.ts'
import type { TokenBasis } from '../store/session-basis.ts'
import { byChallenge } from '../token/challenge-order.ts'
import type { DecisionReason } from '../token/decision-reason.ts'
import type { KeptLogins, VerifiedLogin } from '../token/kept-logins.ts'
import type { KnownIdentities } from '../token/known-identities.ts'
import { findLoginRefusal, type JudgedAttempt, type LoginAttempt, subjectOf } from '../token/login-refusals.ts'
import type { TokenContext } from '../token/request-proofs.ts'
import { RuleBudgets } from '../token/rule-budgets.ts'
import type { DirectorySigner, SignerDirectory } from '../token/signer-directory.ts'
import type { TokenVerifier } from '../token/token-verifier.ts'
import type { IdentitySync } from './identity-sync.ts'

/** Why a token was refused. The caller is sent the challenge and the signer; the rest is for administrators. */
export interface TokenLoginRefusal {
  readonly challenge: ChallengeKind
  /** The signer that the token names; undefined when no enabled signer matches. */
  readonly signer: DirectorySigner | undefined
  readonly reason: DecisionReason
  readonly identityId: string | undefined
  /** Index in `bearers`; undefined when there was no token. */
  readonly bearer: number | undefined
  /** What the policy requires of the login at the identity provider, when that is why the token was refused. */
  readonly requirements?: LoginRequirements | undefined
}

export type TokenLoginResult =
  | { readonly loggedIn: true; readonly token: string; readonly session: LiveSession }
  | ({ readonly loggedIn: false } & TokenLoginRefusal)

const NO_TOKEN: TokenLoginRefusal = {
  challenge: 'missing',
  signer: undefined,
  reason: 'token-missing',
  identityId: undefined,
  bearer: undefined,
}

/** The request of a login, for events. */
export type LoginRequest = Pick<RequestSource, 'remoteAddr'> & { readonly id: string }

/** Why an unknown subject was not provisioned, with the requirements of its policy when these are the reason. */
export interface NotProvisioned extends Pick<TokenLoginRefusal, 'reason' | 'requirements'> {}

interface TokenLoginOptions {
  readonly request: LoginRequest
  /** Opens the session; by default one with a session token. */
  readonly open?: OpenSession | undefined
  readonly isRetry?: boolean
}

interface TokenLoginParts {
  readonly session: SessionOptions
  readonly directory: Pick<SignerDirectory, 'expire'>
  readonly verifier: TokenVerifier
  readonly identities: KnownIdentities
  readonly identitySync: Pick<IdentitySync, 'apply'>
  readonly keptLogins: Pick<KeptLogins, 'record'>
  readonly limits: Pick<AttemptLimits, 'change'>
  /** Enrolls the subject of a token to token use. Undefined when an identity exists afterwards; `enrollment` implements it. */
  provision(
    signer: DirectorySigner,
    token: VerifiedToken,
    request: LoginRequest,
    tokenContext: TokenContext,
  ): Promise<NotProvisioned | undefined>
}

/** A token that a signer has accepted. */
interface AcceptedToken {
  readonly signer: DirectorySigner
  readonly verified: VerifiedToken
}

/** Exchanges a provider's JWT for a session. */
export class TokenLogin {
  readonly #parts: TokenLoginParts

  constructor(parts: TokenLoginParts) {
    this.#parts = parts
  }

  /**
   * The first verified token whose identity and policy allow the login starts the session. When its signer changes before that, all tokens are
   * verified once more, because the change may be one that concerns no token.
   */
  async logIn(
    bearers: readonly string[],
    body: Authenticate,
    tokenContext: TokenContext,
    options: TokenLoginOptions,
  ): Promise<TokenLoginResult> {
    const { session: sessions, directory, verifier, identities, keptLogins, provision } = this.#parts
    const { request, isRetry = false } = options
    const { address: ipAddress } = tokenContext
    const refused: TokenLoginRefusal[] = []
    const rules = new RuleBudgets()
    let authenticated: (AcceptedToken & Authenticated) | undefined
    const retry = (signer: DirectorySigner): Promise<TokenLoginResult> => {
      directory.expire(signer.id)
      return this.logIn(bearers, body, tokenContext, { ...options, isRetry: true })
    }
    for (const [bearer, token] of bearers.entries()) {
      const unknown: AcceptedToken[] = []
      const consider = (accepted: AcceptedToken, attempt: JudgedAttempt): boolean => {
        const { signer, verified } = accepted
        const { identity, policy } = attempt
        const refusal = findLoginRefusal(attempt)
        if (refusal === undefined && identity && policy) {
          const login = { method: 'ext-jwt', signerId: signer.id } as const
          const authenticatorId = authenticatorIdOfSigner(signer.id)
          const basis = tokenBasis(signer, verified, policy)
          const { boundKey } = verified
          const credential = { login, authenticatorId, token: basis, uses: usesOf(verified), boundKey }
          authenticated = { ...accepted, identity, policy, ...credential, body, ipAddress }
          return true
        }
        if (refusal === 'unknown-identity' && signer.stored.provisionOnLogin) unknown.push(accepted)
        else keptLogins.record(keptLogin(accepted, refusal ?? 'not-allowed', attempt))
        // The caller cannot distinguish unknown, disabled and not allowed.
        const reason = refusal ?? 'not-allowed'
        const requirements = isStepUpReason(reason) ? policy?.primary.extJwt : undefined
        refused.push({ challenge: 'missing', signer, reason, identityId: identity?.id, bearer, requirements })
        return false
      }
      const find = ({ signer, verified }: AcceptedToken) =>
        identities.find(
          signer.stored,
          subjectOf(verified, tokenContext),
          sessions.clock.now(),
          rules.ofPolicies(signer.stored),
        )
      for await (const { signer, verdict } of verifier.verify(token, tokenContext, rules)) {
        if (verdict.accepted && signer) {
          const accepted = { signer, verified: verdict.token }
          if (consider(accepted, await find(accepted))) break
        } else {
          const { reason, challenge } = verdict.accepted ? NO_TOKEN : verdict
          refused.push({ challenge, signer, reason, identityId: undefined, bearer })
          const claims = verdict.accepted ? undefined : verdict.verifiedClaims
          if (signer && claims)
            keptLogins.record({ signer: signer.stored, claims, outcome: reason, identityId: undefined })
        }
      }
      const [first] = unknown
      if (!authenticated && first) {
        const { signer, verified } = first
        const refusal = unknown.length > 1 ? AMBIGUOUS : await provision(signer, verified, request, tokenContext)
        if (refusal?.reason === 'signer-changed' && !isRetry) return retry(signer)
        if (refusal) {
          refused.unshift({ ...refusal, challenge: 'missing', signer, identityId: undefined, bearer })
          keptLogins.record(keptLogin(first, refusal.reason))
        } else consider(first, await find(first))
      }
      if (authenticated) {
        try {
          const started = await this.#start(authenticated, options.open)
          noteUses(authenticated.verified)
          keptLogins.record(keptLogin(authenticated, 'accepted', authenticated))
          return { loggedIn: true, ...started }
        } catch (error) {
          if (error instanceof CredentialUsedError) {
            const { signer, identity, verified } = authenticated
            const reason = error.usedBefore
            noteUses(verified, reason)
            refused.unshift({ challenge: 'invalid', signer, reason, identityId: identity.id, bearer })
            authenticated = undefined
            continue
          }
          if (error instanceof TokenRevokedError) {
            const { signer, identity } = authenticated
            const reason = 'token-revoked'
            refused.unshift({ challenge: 'invalid', signer, reason, identityId: identity.id, bearer })
            authenticated = undefined
            continue
          }
          if (isRetry || !(error instanceof SignerChangedError)) throw error
          return retry(authenticated.signer)
        }
      }
    }
    refused.sort(byChallenge)
    return { loggedIn: false, ...(refused[0] ?? NO_TOKEN) }
  }

  async #start({ signer, verified, ...authenticated }: AcceptedToken & Authenticated, open = startSession) {
    const { session, verifier, identitySync, limits } = this.#parts
    const check = (): void => {
      if (!verifier.stillAccepts(signer, verified)) throw new SignerChangedError()
    }
    // The rule of the policy may have waited, and so may the write.
    check()
    const identity = await identitySync.apply(signer.stored, verified, authenticated.identity)
    check()
    const start = () => open(session, { ...authenticated, identity })
    // The use of a token is remembered until it has expired, which can be never.
    return verified.tokenUse ? limitUntrusted(limits, signer.stored, start) : start()
  }
}

function keptLogin(
  { signer, verified }: AcceptedToken,
  outcome: VerifiedLogin['outcome'],
  { identity, policy }: Partial<Pick<LoginAttempt, 'identity' | 'policy'>> = {},
): VerifiedLogin {
  const { claims, keyThumbprint } = verified
  return { signer: signer.stored, claims, outcome, identityId: identity?.id, policy, keyThumbprint }
}

const AMBIGUOUS: NotProvisioned = { reason: 'signer-ambiguous' }

function isStepUpReason(reason: DecisionReason): boolean {
  return STEP_UP_REASONS.some((known) => known === reason)
}

function tokenBasis(
  { id, stored }: DirectorySigner,
  token: VerifiedToken,
  policy: Pick<StoredAuthPolicy, 'acceptRule'>,
): TokenBasis {
  const { claims, identityClaim, keyThumbprint, expiresAtMs } = token
  const externalId = stored.useExternalId ? identityClaim : null
  return {
    signerId: id,
    signerRevision: stored.revision,
    sessionRevision: stored.sessionRevision,
    externalId,
    keyThumbprint,
    expiresAt: expiresAtMs,
    ruleClaims: policyClaims(policy, claims),
    ...readSessionClaims(claims),
    ...revocableToken(token),
  }
}
