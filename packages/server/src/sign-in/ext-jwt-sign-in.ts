import type { Authenticate } from '@countersign/contract'
import { type ChallengeError as ChallengeKind, isSignInAllowed } from '@countersign/core'
import type { LiveSession } from '../api-session/live-sessions.ts'
import { authenticatorIdOfSigner } from '../api-session/sign-in-way.ts'
import { type SessionOptions, startSession } from '../api-session/start-session.ts'
import { isDisabled } from '../store/identity-row.ts'
import { findAuthPolicy } from '../store/reads/auth-policy-reads.ts'
import { findIdentity, findIdentityByExternalId } from '../store/reads/identity-reads.ts'
import type { TokenJudge, TokenJudgement } from './judge-token.ts'
import type { DirectorySigner } from './signer-directory.ts'

export type ExtJwtOutcome =
  | { readonly signedIn: true; readonly token: string; readonly session: LiveSession }
  | {
      readonly signedIn: false
      readonly challenge: ChallengeKind
      /** The signer that the refused token named; undefined when it named none that is known and enabled. */
      readonly signer: DirectorySigner | undefined
    }

export type ExtJwtSignIn = (bearers: readonly string[], body: Authenticate, ipAddress: string) => Promise<ExtJwtOutcome>

/** Which of several refusals the caller is told: that a token has expired says more than that one is wrong, and that more than none. */
const TOLD_FIRST: readonly ChallengeKind[] = ['expired', 'invalid', 'missing']

/** Trades a provider's JWT for a session. The first token that verifies and leads to an identity whose policy allows it wins. */
export function createExtJwtSignIn(options: SessionOptions & Pick<TokenJudge, 'judge'>): ExtJwtSignIn {
  const { store, clock } = options

  /** Looks up whom a verified token stands for. Unknown, disabled and not allowed are all the same to the caller. */
  const findAllowed = async (signer: DirectorySigner, claim: string) => {
    const { useExternalId, writtenByAdmin } = signer.stored
    const identity = await (useExternalId ? findIdentityByExternalId : findIdentity)(store.db, claim)
    const policy = identity && (await findAuthPolicy(store.db, identity.authPolicyId))
    const way = { method: 'ext-jwt', signerId: signer.id } as const
    if (!policy || isDisabled(identity, clock.now()) || !isSignInAllowed(policy, way)) return undefined
    // Whoever may write signers could otherwise let himself in as an administrator.
    if (!writtenByAdmin && (identity.isAdmin || identity.permissions.length > 0)) return undefined
    return { identity, policy, way, authenticatorId: authenticatorIdOfSigner(signer.id) }
  }

  return async (bearers, body, ipAddress) => {
    const refused: { challenge: ChallengeKind; signer: DirectorySigner | undefined }[] = []
    for (const bearer of bearers) {
      for await (const { signer, verdict } of options.judge(bearer)) {
        const found = verdict.accepted && signer && (await findAllowed(signer, verdict.token.identityClaim))
        if (found) return { signedIn: true, ...(await startSession(options, { ...found, body, ipAddress })) }
        refused.push({ challenge: challengeOf(verdict), signer })
      }
    }
    refused.sort((a, b) => TOLD_FIRST.indexOf(a.challenge) - TOLD_FIRST.indexOf(b.challenge))
    return { signedIn: false, ...(refused[0] ?? { challenge: 'missing', signer: undefined }) }
  }
}

function challengeOf(verdict: TokenJudgement['verdict']): ChallengeKind {
  return verdict.accepted ? 'missing' : verdict.challenge
}
