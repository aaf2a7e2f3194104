import { type ChallengeError as ChallengeKind, isCodeMissing, isTrustedFor } from '@countersign/core'
import type { LiveSession } from '../session/live-sessions.ts'
import type { SignerRevision } from '../store/actor-credential.ts'
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

/** What a call lacks, and the signer that verified its second token; null when the policy requires none, or it is missing. */
export interface CheckedFactors {
  readonly missing: readonly MissingFactor[]
  readonly signer: SignerRevision | null
}

const NONE: CheckedFactors = { missing: [], signer: null }

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
    const checked = this.check(session, untrustedBearers)
    return checked instanceof Promise ? checked.then(({ missing }) => missing) : checked.missing
  }

  /** Like `findMissing`, with the signer of the token for the operation that rests on it. */
  check(session: LiveSession, untrustedBearers: readonly string[]): CheckedFactors | Promise<CheckedFactors> {
    const needsToken = session.policy.secondary.requireExtJwtSigner !== null
    return needsToken || lacksCode(session) ? this.#checkAll(session, untrustedBearers) : NONE
  }

  async #checkAll(session: LiveSession, bearers: readonly string[]): Promise<CheckedFactors> {
    const { requireExtJwtSigner } = session.policy.secondary
    const code = { kind: 'totp', isEnrolled: session.identity.verifiedTotpId !== null } as const
    const codes = lacksCode(session) ? [code] : []
    if (requireExtJwtSigner === null) return { missing: codes, signer: null }
    const token = await this.#checkToken(session, requireExtJwtSigner, bearers)
    return 'kind' in token ? { missing: [...codes, token], signer: null } : { missing: codes, signer: token }
  }

  async #checkToken(
    session: LiveSession,
    signerId: string,
    bearers: readonly string[],
  ): Promise<MissingFactor | SignerRevision> {
    const named = (await this.#directory.enabled()).findById(signerId)
    const signer = named && isTrustedFor(named.stored.trust, session.identity) ? named : undefined
    let challenge: ChallengeKind = 'missing'
    for (const bearer of signer ? bearers : []) {
      const verdict = await this.#verifier.verifyBy(signer as DirectorySigner, bearer)
      // The token must belong to the session's identity: a thief must not complete a stolen session with another token.
      if (signer && verdict.accepted && isClaimOf(session, signer, verdict.token.identityClaim)) {
        return { id: signerId, revision: signer.stored.revision }
      }
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
