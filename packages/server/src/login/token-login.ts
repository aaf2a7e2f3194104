import type { Authenticate } from '@countersign/contract'
import { type ChallengeError as ChallengeKind, readSessionClaims, type VerifiedToken } from '@countersign/core'
import {
  type Authenticated,
  type SessionOptions,
  SignerChangedError,
  startSession,
} from '../operations/api-session/start-session.ts'
import type { LiveSession } from '../session/live-sessions.ts'
import { authenticatorIdOfSigner } from '../store/reads/session-origin-reads.ts'
import type { TokenBasis } from '../store/session-basis.ts'
import { byChallenge } from '../token/challenge-order.ts'
import type { DecisionReason } from '../token/decision-reason.ts'
import type { KnownIdentities } from '../token/known-identities.ts'
import { findLoginRefusal, type LoginAttempt } from '../token/login-refusals.ts'
import type { DirectorySigner, SignerDirectory } from '../token/signer-directory.ts'
import type { TokenVerifier } from '../token/token-verifier.ts'

/** Why a token was refused. The caller is sent the challenge and the signer; the rest is for administrators. */
export interface TokenLoginRefusal {
  readonly challenge: ChallengeKind
  /** The signer that the token names; undefined when no enabled signer matches. */
  readonly signer: DirectorySigner | undefined
  readonly reason: DecisionReason
  readonly identityId: string | undefined
  /** Index in `bearers`; undefined when there was no token. */
  readonly bearer: number | undefined
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

interface TokenLoginParts {
  readonly session: SessionOptions
  readonly directory: Pick<SignerDirectory, 'expire'>
  readonly verifier: TokenVerifier
  readonly identities: KnownIdentities
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
    ipAddress: string,
    { isRetry = false } = {},
  ): Promise<TokenLoginResult> {
    const { session: options, directory, verifier, identities } = this.#parts
    const refused: TokenLoginRefusal[] = []
    let authenticated: (Authenticated & { readonly token: TokenBasis }) | undefined
    for (const [bearer, token] of bearers.entries()) {
      const consider = (signer: DirectorySigner, verified: VerifiedToken, attempt: LoginAttempt): boolean => {
        const { identity, policy } = attempt
        const refusal = findLoginRefusal(attempt)
        if (refusal === undefined && identity && policy) {
          const login = { method: 'ext-jwt', signerId: signer.id } as const
          const authenticatorId = authenticatorIdOfSigner(signer.id)
          const basis = tokenBasis(signer, verified)
          authenticated = { identity, policy, login, authenticatorId, token: basis, body, ipAddress }
          return true
        }
        // The caller cannot distinguish unknown, disabled and not allowed.
        const reason = refusal ?? 'not-allowed'
        refused.push({ challenge: 'missing', signer, reason, identityId: identity?.id, bearer })
        return false
      }
      await verifier.verify(token, ipAddress, ({ signer, verdict }) => {
        if (!verdict.accepted || !signer) {
          const { reason, challenge } = verdict.accepted ? NO_TOKEN : verdict
          refused.push({ challenge, signer, reason, identityId: undefined, bearer })
          return false
        }
        const { token: verified } = verdict
        const found = identities.find(signer.stored, verified.identityClaim, options.clock.now())
        return found instanceof Promise
          ? found.then((attempt) => consider(signer, verified, attempt))
          : consider(signer, verified, found)
      })
      if (authenticated) {
        try {
          const { token: sessionToken, session } = await startSession(options, authenticated)
          return { loggedIn: true, token: sessionToken, session }
        } catch (error) {
          if (isRetry || !(error instanceof SignerChangedError)) throw error
          directory.expire(authenticated.token.signerId)
          return this.logIn(bearers, body, ipAddress, { isRetry: true })
        }
      }
    }
    refused.sort(byChallenge)
    return { loggedIn: false, ...(refused[0] ?? NO_TOKEN) }
  }
}

function tokenBasis(
  { id, stored }: DirectorySigner,
  { claims, identityClaim, expiresAtMs }: VerifiedToken,
): TokenBasis {
  const externalId = stored.useExternalId ? identityClaim : null
  return {
    signerId: id,
    signerRevision: stored.revision,
    externalId,
    expiresAt: expiresAtMs,
    ...readSessionClaims(claims),
  }
}
