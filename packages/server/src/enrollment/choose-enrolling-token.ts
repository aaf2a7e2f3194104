import { AppError, type EnrollmentKind, isKindEnabled, type VerifiedToken } from '@countersign/core'
import { byChallenge } from '../token/challenge-order.ts'
import type { DecisionReason } from '../token/decision-reason.ts'
import type { DirectorySigner, SignerDirectory } from '../token/signer-directory.ts'
import type { TakeVerdict, TokenVerifier } from '../token/token-verifier.ts'

/** The credentials of an enrollment request. Not verified yet. */
export interface PresentedTokens {
  readonly bearers: readonly string[]
  /** The values of the header that names a signer: it chooses one, and spares no check. */
  readonly signerIds: readonly string[]
  /** Wrong signatures are limited by this address. */
  readonly clientAddress: string
}

/** A token that exactly one signer has accepted for enrolling. */
export interface ChosenToken {
  readonly signer: DirectorySigner
  readonly token: VerifiedToken
  /** Which of the presented tokens. */
  readonly bearer: number
}

/** Why no token was chosen. The caller learns the error, administrators the rest. */
export interface NoToken {
  readonly error: AppError
  readonly reason: DecisionReason
  readonly signer: DirectorySigner | undefined
  readonly bearer: number | undefined
}

export type TokenChoice = ({ readonly isChosen: true } & ChosenToken) | ({ readonly isChosen: false } & NoToken)

export interface ChooseTokenParts {
  readonly directory: SignerDirectory
  readonly verifier: TokenVerifier
}

const AMBIGUOUS = 'several signers take this token: name one of them in the header ziti-token-issuer-id'
const NO_SIGNER = 'the header ziti-token-issuer-id names no signer that takes this token'

/**
 * Finds the token to enroll with: the first that an enabled signer accepts. When several accept it, the one that enrolls to this kind is
 * meant; several of those must be told apart by the caller.
 */
export async function chooseEnrollingToken(
  { directory, verifier }: ChooseTokenParts,
  { bearers, signerIds, clientAddress }: PresentedTokens,
  kind: EnrollmentKind,
): Promise<TokenChoice> {
  const verify = await verifyBy(signerIds.filter((id) => id !== ''))
  if (!verify) return refused('signer-unknown', { bearer: bearers.length > 0 ? 0 : undefined, message: NO_SIGNER })
  const noes: (Omit<NoToken, 'error'> & { challenge: TokenChallenge })[] = []
  for (const [bearer, token] of bearers.entries()) {
    const accepted: ChosenToken[] = []
    await verify(token, ({ signer, verdict }) => {
      if (verdict.accepted && signer) accepted.push({ signer, token: verdict.token, bearer })
      else if (!verdict.accepted) noes.push({ reason: verdict.reason, challenge: verdict.challenge, signer, bearer })
      return false
    })
    const enrolling = accepted.filter(({ signer }) => isKindEnabled(signer.stored, kind))
    if (enrolling.length > 1) return refused('signer-ambiguous', { bearer, message: AMBIGUOUS })
    const [chosen = accepted[0]] = enrolling
    if (chosen) return { isChosen: true, ...chosen }
  }
  const [no] = noes.toSorted(byChallenge)
  return refused(no?.reason ?? 'token-missing', { signer: no?.signer, bearer: no?.bearer })

  /** Undefined when the caller names a signer that there is not. */
  async function verifyBy(
    ids: readonly string[],
  ): Promise<((token: string, take: TakeVerdict) => Promise<unknown>) | undefined> {
    if (ids.length === 0) return (token, take) => verifier.verify(token, clientAddress, take)
    const signer = ids.length === 1 ? (await directory.enabled()).findById(ids[0] ?? '') : undefined
    if (!signer) return undefined
    return async (token, take) => take({ signer, verdict: await verifier.verifyBy(signer, token, clientAddress) })
  }
}

type TokenChallenge = Parameters<typeof byChallenge>[0]['challenge']

interface About {
  readonly signer?: DirectorySigner | undefined
  readonly bearer?: number | undefined
  readonly message?: string
}

function refused(reason: DecisionReason, { signer, bearer, message }: About): TokenChoice {
  const error = new AppError('INVALID_ENROLLMENT_TOKEN', message === undefined ? undefined : { message })
  return { isChosen: false, error, reason, signer, bearer }
}
