import { type ChallengeError as ChallengeKind, isCodeMissing, isTrustedFor } from '@countersign/core'
import type { LiveSession } from '../session/live-sessions.ts'
import type { StoredSigner } from '../store/signer-row.ts'
import type { DirectorySigner, SignerDirectory } from '../token/signer-directory.ts'
import type { TokenVerifier } from '../token/token-verifier.ts'

/** A second factor that a session lacks. */
export type MissingFactor =
  | { readonly kind: 'totp'; readonly isEnrolled: boolean }
  | {
      readonly kind: 'ext-jwt'
      readonly challenge: ChallengeKind
      /** The signer that the policy names; undefined when it was deleted. While it is disabled or not trusted, every token is refused. */
      readonly signer: StoredSigner | undefined
    }

const NONE: readonly MissingFactor[] = []

/**
 * Checks the second factor on every call. A token must be sent with each call. For one-time codes the session records which enrollment it
 * passed, so that a new enrollment requires a new code.
 */
export class SecondFactor {
  readonly #directory: Pick<SignerDirectory, 'enabled' | 'find'>
  readonly #verifier: Pick<TokenVerifier, 'verifyBy'>

  constructor(directory: Pick<SignerDirectory, 'enabled' | 'find'>, verifier: Pick<TokenVerifier, 'verifyBy'>) {
    this.#directory = directory
    this.#verifier = verifier
  }

  /** Returns what the session's current policy requires and the call lacks; synchronously when it requires neither token nor code. */
  findMissing(
    session: LiveSession,
    untrustedBearers: readonly string[],
  ): readonly MissingFactor[] | Promise<readonly MissingFactor[]> {
    const needsToken = session.policy.secondary.requireExtJwtSigner !== null
    return needsToken || lacksCode(session) ? this.#findAll(session, untrustedBearers) : NONE
  }

  async #findAll(session: LiveSession, bearers: readonly string[]): Promise<readonly MissingFactor[]> {
    const { requireExtJwtSigner } = session.policy.secondary
    const token =
      requireExtJwtSigner === null ? undefined : await this.#findMissingToken(session, requireExtJwtSigner, bearers)
    const code = { kind: 'totp', isEnrolled: session.identity.verifiedTotpId !== null } as const
    return [...(lacksCode(session) ? [code] : []), ...(token ? [token] : [])]
  }

  async #findMissingToken(
    session: LiveSession,
    signerId: string,
    bearers: readonly string[],
  ): Promise<MissingFactor | undefined> {
    const named = (await this.#directory.enabled()).findById(signerId)
    const signer = named && isTrustedFor(named.stored.trust, session.identity) ? named : undefined
    let challenge: ChallengeKind = 'missing'
    for (const bearer of signer ? bearers : []) {
      const verdict = await this.#verifier.verifyBy(signer as DirectorySigner, bearer)
      // The token must belong to the session's identity: a thief must not complete a stolen session with another token.
      if (verdict.accepted && isClaimOf(session, signer as DirectorySigner, verdict.token.identityClaim))
        return undefined
      const refusal = verdict.accepted ? 'invalid' : verdict.challenge
      if (challenge === 'missing' || refusal === 'expired') challenge = refusal
    }
    return { kind: 'ext-jwt', challenge, signer: named?.stored ?? (await this.#directory.find(signerId)) }
  }
}

function lacksCode({ identity: { verifiedTotpId }, policy, passedTotpId }: LiveSession): boolean {
  return isCodeMissing(policy, { verifiedTotpId, passedTotpId })
}

function isClaimOf({ identity }: LiveSession, { stored }: DirectorySigner, claim: string): boolean {
  return claim === (stored.useExternalId ? identity.externalId : identity.id)
}
