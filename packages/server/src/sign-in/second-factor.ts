import type { ChallengeError as ChallengeKind } from '@countersign/core'
import type { LiveSession } from '../api-session/live-sessions.ts'
import type { TokenJudge } from './judge-token.ts'
import type { DirectorySigner, SignerDirectory } from './signer-directory.ts'

/** What a session lacks to be whole. */
export type MissingFactor =
  | { readonly kind: 'totp' }
  | {
      readonly kind: 'ext-jwt'
      readonly challenge: ChallengeKind
      /** The signer that the policy names; undefined when it is disabled or gone, and then nothing can help. */
      readonly signer: DirectorySigner | undefined
    }

export interface SecondFactor {
  /** What the session's policy, as it is now, asks for beside the session and the call does not bring. */
  findMissing(
    session: LiveSession,
    untrustedBearers: readonly string[],
  ): readonly MissingFactor[] | Promise<readonly MissingFactor[]>
}

const NOTHING: readonly MissingFactor[] = []

/** The second factor is asked for on every call: nothing about it is remembered with the session. */
export function createSecondFactor(
  directory: SignerDirectory,
  { judgeFor }: Pick<TokenJudge, 'judgeFor'>,
): SecondFactor {
  const findMissingToken = async (
    session: LiveSession,
    signerId: string,
    bearers: readonly string[],
  ): Promise<MissingFactor | undefined> => {
    const signer = (await directory.enabled()).findById(signerId)
    let challenge: ChallengeKind = 'missing'
    for (const bearer of signer ? bearers : []) {
      const verdict = await judgeFor(signer as DirectorySigner, bearer)
      // A good token of somebody else would let whoever stole the session go on with his own.
      if (verdict.accepted && isOf(session, signer as DirectorySigner, verdict.token.identityClaim)) return undefined
      const told = verdict.accepted ? 'invalid' : verdict.challenge
      if (challenge === 'missing' || told === 'expired') challenge = told
    }
    return { kind: 'ext-jwt', challenge, signer }
  }

  const findAll = async (session: LiveSession, bearers: readonly string[]): Promise<readonly MissingFactor[]> => {
    const { requireTotp, requireExtJwtSigner } = session.policy.secondary
    const token =
      requireExtJwtSigner === null ? undefined : await findMissingToken(session, requireExtJwtSigner, bearers)
    return [...(requireTotp ? [{ kind: 'totp' } as const] : []), ...(token ? [token] : [])]
  }

  return {
    findMissing: (session, bearers) => {
      const { requireTotp, requireExtJwtSigner } = session.policy.secondary
      return requireTotp || requireExtJwtSigner !== null ? findAll(session, bearers) : NOTHING
    },
  }
}

function isOf({ identity }: LiveSession, { stored }: DirectorySigner, claim: string): boolean {
  return claim === (stored.useExternalId ? identity.externalId : identity.id)
}
