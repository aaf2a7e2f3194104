import type { Authenticate } from '@countersign/contract'
import type { ChallengeError as ChallengeKind } from '@countersign/core'
import { type Authenticated, type SessionOptions, startSession } from '../operations/api-session/start-session.ts'
import type { LiveSession } from '../session/live-sessions.ts'
import { authenticatorIdOfSigner } from '../session/session-origin.ts'
import { byChallenge } from '../token/challenge-order.ts'
import type { DecisionReason } from '../token/decision-reason.ts'
import type { KnownIdentities } from '../token/known-identities.ts'
import { findObstacle, type SignInAttempt } from '../token/login-obstacles.ts'
import type { DirectorySigner } from '../token/signer-directory.ts'
import type { TokenVerifier } from '../token/token-verifier.ts'

/** Why a token was refused. The caller learns the challenge and the signer, administrators the rest. */
export interface JwtRefusal {
  readonly challenge: ChallengeKind
  /** The signer that the refused token named; undefined when it named none that is known and enabled. */
  readonly signer: DirectorySigner | undefined
  readonly reason: DecisionReason
  readonly identityId: string | undefined
  /** Which of the presented tokens; undefined when there was none. */
  readonly bearer: number | undefined
}

export type ExtJwtOutcome =
  | { readonly signedIn: true; readonly token: string; readonly session: LiveSession }
  | ({ readonly signedIn: false } & JwtRefusal)

const NO_TOKEN: JwtRefusal = {
  challenge: 'missing',
  signer: undefined,
  reason: 'token-missing',
  identityId: undefined,
  bearer: undefined,
}

interface TokenLoginParts {
  readonly session: SessionOptions
  readonly verifier: TokenVerifier
  readonly identities: KnownIdentities
}

/** Trades a provider's JWT for a session. */
export class TokenLogin {
  readonly #parts: TokenLoginParts

  constructor(parts: TokenLoginParts) {
    this.#parts = parts
  }

  /** The first token that verifies and leads to an identity whose policy allows it opens the session. */
  async logIn(bearers: readonly string[], body: Authenticate, ipAddress: string): Promise<ExtJwtOutcome> {
    const { session: options, verifier, identities } = this.#parts
    const refused: JwtRefusal[] = []
    let authenticated: Authenticated | undefined
    for (const [bearer, token] of bearers.entries()) {
      const consider = (signer: DirectorySigner, attempt: SignInAttempt): boolean => {
        const { identity, policy } = attempt
        const obstacle = findObstacle(attempt)
        if (obstacle === undefined && identity && policy) {
          const way = { method: 'ext-jwt', signerId: signer.id } as const
          const authenticatorId = authenticatorIdOfSigner(signer.id)
          authenticated = { identity, policy, way, authenticatorId, body, ipAddress }
          return true
        }
        // Unknown, disabled and not allowed are all the same to the caller.
        const reason = obstacle ?? 'not-allowed'
        refused.push({ challenge: 'missing', signer, reason, identityId: identity?.id, bearer })
        return false
      }
      await verifier.verify(token, ipAddress, ({ signer, verdict }) => {
        if (!verdict.accepted || !signer) {
          const { reason, challenge } = verdict.accepted ? NO_TOKEN : verdict
          refused.push({ challenge, signer, reason, identityId: undefined, bearer })
          return false
        }
        const found = identities.find(signer.stored, verdict.token.identityClaim, options.clock.now())
        return found instanceof Promise ? found.then((attempt) => consider(signer, attempt)) : consider(signer, found)
      })
      if (authenticated) {
        const { token: sessionToken, session } = await startSession(options, authenticated)
        return { signedIn: true, token: sessionToken, session }
      }
    }
    refused.sort(byChallenge)
    return { signedIn: false, ...(refused[0] ?? NO_TOKEN) }
  }
}
