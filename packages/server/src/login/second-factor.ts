import type { ChallengeError as ChallengeKind } from '@countersign/core'
import type { LiveSession } from '../session/live-sessions.ts'
import type { StoredSigner } from '../store/signer-row.ts'
import { isSignerTrusted } from '../token/login-obstacles.ts'
import type { DirectorySigner, SignerDirectory } from '../token/signer-directory.ts'
import type { TokenVerifier } from '../token/token-verifier.ts'

/** A second factor that a session lacks. */
export type MissingFactor =
  | { readonly kind: 'totp'; readonly isEnrolled: boolean }
  | {
      readonly kind: 'ext-jwt'
      readonly challenge: ChallengeKind
      /** The signer that the policy names; undefined when it was deleted. No token helps while it is disabled or not trusted. */
      readonly signer: StoredSigner | undefined
    }

const NOTHING: readonly MissingFactor[] = []

/**
 * Checks the second factor on every call. A token must come with each call; for one-time codes the session records which set of codes it has
 * passed, so that a new set requires a new code.
 */
export class SecondFactor {
  readonly #directory: Pick<SignerDirectory, 'enabled' | 'find'>
  readonly #verifier: Pick<TokenVerifier, 'verifyBy'>

  constructor(directory: Pick<SignerDirectory, 'enabled' | 'find'>, verifier: Pick<TokenVerifier, 'verifyBy'>) {
    this.#directory = directory
    this.#verifier = verifier
  }

  /** What the session's policy, as it is now, requires and the call lacks; at once when it requires no token and no code. */
  findMissing(
    session: LiveSession,
    untrustedBearers: readonly string[],
  ): readonly MissingFactor[] | Promise<readonly MissingFactor[]> {
    const needsToken = session.policy.secondary.requireExtJwtSigner !== null
    return needsToken || isCodeMissing(session) ? this.#findAll(session, untrustedBearers) : NOTHING
  }

  async #findAll(session: LiveSession, bearers: readonly string[]): Promise<readonly MissingFactor[]> {
    const { requireExtJwtSigner } = session.policy.secondary
    const token =
      requireExtJwtSigner === null ? undefined : await this.#findMissingToken(session, requireExtJwtSigner, bearers)
    const code = { kind: 'totp', isEnrolled: session.identity.verifiedTotpId !== null } as const
    return [...(isCodeMissing(session) ? [code] : []), ...(token ? [token] : [])]
  }

  async #findMissingToken(
    session: LiveSession,
    signerId: string,
    bearers: readonly string[],
  ): Promise<MissingFactor | undefined> {
    const named = (await this.#directory.enabled()).findById(signerId)
    const signer = named && isSignerTrusted(named.stored, session.identity) ? named : undefined
    let challenge: ChallengeKind = 'missing'
    for (const bearer of signer ? bearers : []) {
      const verdict = await this.#verifier.verifyBy(signer as DirectorySigner, bearer)
      // The token must be the session identity's own: a stolen session must not be completed with the thief's token.
      if (verdict.accepted && isOf(session, signer as DirectorySigner, verdict.token.identityClaim)) return undefined
      const refusal = verdict.accepted ? 'invalid' : verdict.challenge
      if (challenge === 'missing' || refusal === 'expired') challenge = refusal
    }
    return { kind: 'ext-jwt', challenge, signer: named?.stored ?? (await this.#directory.find(signerId)) }
  }
}

/** An identity with verified one-time codes must give one; without any, a code is missing where the policy requires it. */
function isCodeMissing({ identity, policy, passedTotpId }: LiveSession): boolean {
  const { verifiedTotpId } = identity
  return verifiedTotpId === null ? policy.secondary.requireTotp : passedTotpId !== verifiedTotpId
}

function isOf({ identity }: LiveSession, { stored }: DirectorySigner, claim: string): boolean {
  return claim === (stored.useExternalId ? identity.externalId : identity.id)
}
