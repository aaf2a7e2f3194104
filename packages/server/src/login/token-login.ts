import type { Authenticate } from '@countersign/contract'
import type { ChallengeError as ChallengeKind } from '@countersign/core'
import { type Authenticated, type SessionOptions, startSession } from '../operations/api-session/start-session.ts'
import type { LiveSession } from '../session/live-sessions.ts'
import { authenticatorIdOfSigner } from '../session/session-origin.ts'
import type { DecisionReason } from '../token/decision-reason.ts'
import type { TokenJudge } from '../token/judge-token.ts'
import { createKnownIdentities } from '../token/known-identities.ts'
import type { FindPolicy } from '../token/known-policies.ts'
import { findObstacle, type SignInAttempt } from '../token/login-obstacles.ts'
import type { DirectorySigner } from '../token/signer-directory.ts'

/** Why a token was refused. Of all this the caller is told the challenge and the signer, administrators the rest. */
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

export type ExtJwtSignIn = (bearers: readonly string[], body: Authenticate, ipAddress: string) => Promise<ExtJwtOutcome>

/** Which of several refusals the caller is told: that a token has expired says more than that one is wrong, and that more than none. */
const TOLD_FIRST: readonly ChallengeKind[] = ['expired', 'invalid', 'missing']

/** Orders refusals by what says most. */
export function toldFirst(a: Pick<JwtRefusal, 'challenge'>, b: Pick<JwtRefusal, 'challenge'>): number {
  return TOLD_FIRST.indexOf(a.challenge) - TOLD_FIRST.indexOf(b.challenge)
}

const NO_TOKEN: JwtRefusal = {
  challenge: 'missing',
  signer: undefined,
  reason: 'token-missing',
  identityId: undefined,
  bearer: undefined,
}

interface ExtJwtSignInOptions extends SessionOptions, Pick<TokenJudge, 'judge'> {
  readonly findPolicy: FindPolicy
}

/** Trades a provider's JWT for a session. The first token that verifies and leads to an identity whose policy allows it wins. */
export function createExtJwtSignIn(options: ExtJwtSignInOptions): ExtJwtSignIn {
  const { store, clock } = options
  const findAttempt = createKnownIdentities(store, options.findPolicy)
  return async (bearers, body, ipAddress) => {
    const refused: JwtRefusal[] = []
    let authenticated: Authenticated | undefined
    for (const [bearer, token] of bearers.entries()) {
      const meet = (signer: DirectorySigner, attempt: SignInAttempt): boolean => {
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
      await options.judge(token, ipAddress, ({ signer, verdict }) => {
        if (!verdict.accepted || !signer) {
          const { reason, challenge } = verdict.accepted ? NO_TOKEN : verdict
          refused.push({ challenge, signer, reason, identityId: undefined, bearer })
          return false
        }
        const found = findAttempt(signer.stored, verdict.token.identityClaim, clock.now())
        return found instanceof Promise ? found.then((attempt) => meet(signer, attempt)) : meet(signer, found)
      })
      if (authenticated) {
        const { token: sessionToken, session } = await startSession(options, authenticated)
        return { signedIn: true, token: sessionToken, session }
      }
    }
    refused.sort(toldFirst)
    return { signedIn: false, ...(refused[0] ?? NO_TOKEN) }
  }
}
