import { AppError, type EnrollmentKind, isKindEnabled, type VerifiedToken } from '@countersign/core'
import { byChallenge } from '../token/challenge-order.ts'
import type { DecisionReason } from '../token/decision-reason.ts'
import type { TokenContext } from '../token/request-proofs.ts'
import { RuleBudgets } from '../token/rule-budgets.ts'
import type { DirectorySigner, SignerDirectory } from '../token/signer-directory.ts'
import type { SignerVerdict, TokenVerifier } from '../token/token-verifier.ts'

/** The credentials of an enrollment request. Not verified yet. */
export interface EnrollmentCredentials {
  readonly bearers: readonly string[]
  /** Values of the header `ziti-token-issuer-id`. It selects a signer and skips no check. */
  readonly signerIds: readonly string[]
  /** Invalid signatures count against the limit of this address. */
  readonly clientAddress: string
  readonly tokenContext: TokenContext
}

/** A token that exactly one signer accepts for enrollment. */
export interface ChosenToken {
  readonly signer: DirectorySigner
  readonly token: VerifiedToken
  /** Index in `bearers`. */
  readonly bearer: number
}

/** Why no token was chosen. The caller is sent only `error`; the rest is for administrators. */
export interface NoTokenChosen {
  readonly error: AppError
  readonly reason: DecisionReason
  readonly signer: DirectorySigner | undefined
  readonly bearer: number | undefined
}

export type TokenChoice = ({ readonly isChosen: true } & ChosenToken) | ({ readonly isChosen: false } & NoTokenChosen)

export interface ChooseTokenParts {
  readonly directory: SignerDirectory
  readonly verifier: TokenVerifier
}

const AMBIGUOUS = 'several signers accept this token: name one of them in the header ziti-token-issuer-id'
const NO_SIGNER = 'the header ziti-token-issuer-id names no signer that accepts this token'

/**
 * Finds the token to enroll with: the first that an enabled signer accepts. When several signers accept it, the one that enrolls to `kind` is
 * chosen; when several of those remain, the caller must name one.
 */
export async function chooseEnrollingToken(
  { directory, verifier }: ChooseTokenParts,
  { bearers, signerIds, tokenContext }: EnrollmentCredentials,
  kind: EnrollmentKind,
): Promise<TokenChoice> {
  const verify = await verifyBy(signerIds.filter((id) => id !== ''))
  if (!verify) return refused('signer-unknown', { bearer: bearers.length > 0 ? 0 : undefined, message: NO_SIGNER })
  const refusals: (Omit<NoTokenChosen, 'error'> & { challenge: TokenChallenge })[] = []
  for (const [bearer, token] of bearers.entries()) {
    const accepted: ChosenToken[] = []
    for await (const { signer, verdict } of verify(token)) {
      if (verdict.accepted && signer) accepted.push({ signer, token: verdict.token, bearer })
      else if (!verdict.accepted)
        refusals.push({ reason: verdict.reason, challenge: verdict.challenge, signer, bearer })
    }
    const enrolling = accepted.filter(({ signer }) => isKindEnabled(signer.stored, kind))
    if (enrolling.length > 1) return refused('signer-ambiguous', { bearer, message: AMBIGUOUS })
    const [chosen = accepted[0]] = enrolling
    if (chosen) return { isChosen: true, ...chosen }
  }
  const [first] = refusals.toSorted(byChallenge)
  return refused(first?.reason ?? 'token-missing', { signer: first?.signer, bearer: first?.bearer })

  /** Undefined when the caller names a signer that does not exist. */
  async function verifyBy(
    ids: readonly string[],
  ): Promise<((token: string) => AsyncGenerator<SignerVerdict, void>) | undefined> {
    const rules = new RuleBudgets()
    if (ids.length === 0) return (token) => verifier.verify(token, tokenContext, rules)
    const signer = ids.length === 1 ? (await directory.enabled()).findById(ids[0] ?? '') : undefined
    if (!signer) return undefined
    return async function* (token) {
      yield { signer, verdict: await verifier.verifyBy(signer, token, tokenContext, { isLimited: true, rules }) }
    }
  }
}

type TokenChallenge = Parameters<typeof byChallenge>[0]['challenge']

interface RefusalDetails {
  readonly signer?: DirectorySigner | undefined
  readonly bearer?: number | undefined
  readonly message?: string
}

function refused(reason: DecisionReason, { signer, bearer, message }: RefusalDetails): TokenChoice {
  const error = new AppError('INVALID_ENROLLMENT_TOKEN', message === undefined ? undefined : { message })
  return { isChosen: false, error, reason, signer, bearer }
}
