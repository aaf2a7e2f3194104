import type { ChallengeError as ChallengeKind } from '@countersign/core'
import type { LiveSession } from '../session/live-sessions.ts'
import type { StoredSigner } from '../store/signer-row.ts'
import type { TokenVerifier } from '../token/token-verifier.ts'
import { isSignerTrusted } from '../token/login-obstacles.ts'
import type { DirectorySigner, SignerDirectory } from '../token/signer-directory.ts'

/** What a session lacks to be whole. */
export type MissingFactor =
  | { readonly kind: 'totp'; readonly isEnrolled: boolean }
  | {
      readonly kind: 'ext-jwt'
      readonly challenge: ChallengeKind
      /** The signer that the policy names, although it may be disabled or not trusted, and then nothing helps; undefined when it is gone. */
      readonly signer: StoredSigner | undefined
    }

export interface SecondFactor {
  /** What the session's policy, as it is now, asks for beside the session and the call does not bring. */
  findMissing(
    session: LiveSession,
    untrustedBearers: readonly string[],
  ): readonly MissingFactor[] | Promise<readonly MissingFactor[]>
}

const NOTHING: readonly MissingFactor[] = []

/**
 * The second factor is asked for on every call. A token must come with each of them; of one-time codes the session knows
 * which enrollment it was shown a code of, so that another enrollment asks for another code.
 */
export function createSecondFactor(
  directory: SignerDirectory,
  verifier: Pick<TokenVerifier, 'verifyBy'>,
): SecondFactor {
  const findMissingToken = async (
    session: LiveSession,
    signerId: string,
    bearers: readonly string[],
  ): Promise<MissingFactor | undefined> => {
    const named = (await directory.enabled()).findById(signerId)
    const signer = named && isSignerTrusted(named.stored, session.identity) ? named : undefined
    let challenge: ChallengeKind = 'missing'
    for (const bearer of signer ? bearers : []) {
      const verdict = await verifier.verifyBy(signer as DirectorySigner, bearer)
      // A good token of somebody else would let whoever stole the session go on with his own.
      if (verdict.accepted && isOf(session, signer as DirectorySigner, verdict.token.identityClaim)) return undefined
      const told = verdict.accepted ? 'invalid' : verdict.challenge
      if (challenge === 'missing' || told === 'expired') challenge = told
    }
    return { kind: 'ext-jwt', challenge, signer: named?.stored ?? (await directory.find(signerId)) }
  }

  const findAll = async (session: LiveSession, bearers: readonly string[]): Promise<readonly MissingFactor[]> => {
    const { requireExtJwtSigner } = session.policy.secondary
    const token =
      requireExtJwtSigner === null ? undefined : await findMissingToken(session, requireExtJwtSigner, bearers)
    const code = { kind: 'totp', isEnrolled: session.identity.verifiedTotpId !== null } as const
    return [...(isCodeMissing(session) ? [code] : []), ...(token ? [token] : [])]
  }

  return {
    findMissing: (session, bearers) => {
      const needsToken = session.policy.secondary.requireExtJwtSigner !== null
      return needsToken || isCodeMissing(session) ? findAll(session, bearers) : NOTHING
    },
  }
}

/** Whoever has verified one-time codes must show one, and whoever has not cannot where his policy asks for them. */
function isCodeMissing({ identity, policy, passedTotpId }: LiveSession): boolean {
  const { verifiedTotpId } = identity
  return verifiedTotpId === null ? policy.secondary.requireTotp : passedTotpId !== verifiedTotpId
}

function isOf({ identity }: LiveSession, { stored }: DirectorySigner, claim: string): boolean {
  return claim === (stored.useExternalId ? identity.externalId : identity.id)
}
