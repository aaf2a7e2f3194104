import { AppError } from '@countersign/core'
import type { AttemptLimits } from '../limits/attempt-limits.ts'
import { discardTotpInLogin, type RemoveTotp, removeTotp, removeTotpInLogin } from '../operations/totp/remove-totp.ts'
import type { CodeResult } from '../operations/totp/spend-code.ts'
import { startTotp, verifyTotp } from '../operations/totp/start-totp.ts'
import { checkTotpCode, passTotp, renewRecoveryCodes } from '../operations/totp/use-totp.ts'
import type { LiveSession } from '../session/live-sessions.ts'
import type { SignerRevision } from '../store/actor-credential.ts'
import type { OperationMeta } from '../store/operation-meta.ts'
import { findVisibleTotp } from '../store/reads/totp-reads.ts'
import type { TotpRow } from '../store/schema.ts'
import type { Store } from '../store/store.ts'
import type { LoginReporter } from './login-reporter.ts'
import type { OneTimeCodes } from './one-time-codes.ts'
import { refusedCode } from './refused-login.ts'

export interface OwnOneTimeCodesParts {
  readonly store: Pick<Store, 'db' | 'run'>
  readonly oneTimeCodes: OneTimeCodes
  readonly logins: Pick<LoginReporter, 'factor'>
  readonly limits: Pick<AttemptLimits, 'ownChange'>
}

/** A request with a session and, optionally, a one-time code or recovery code. */
export interface CodeRequest {
  readonly id: string
  /** With the port, if known. */
  readonly remoteAddr: string
  readonly clientAddress: string
  readonly session: LiveSession
  readonly code: string | undefined
  readonly meta: OperationMeta
}

/**
 * The one-time codes of a session's identity. Codes that another session sets up do not exist until they are verified. Methods that require a
 * code throw MFA_NOT_ENROLLED when the identity has no codes, MFA_INVALID_TOKEN for a wrong code, which is reported, and TooManyRequests after
 * too many wrong codes.
 */
export class OwnOneTimeCodes {
  readonly #parts: OwnOneTimeCodesParts

  constructor(parts: OwnOneTimeCodesParts) {
    this.#parts = parts
  }

  /** Throws NOT_FOUND when the identity has no codes. */
  async get(session: LiveSession): Promise<{ readonly totp: TotpRow; readonly isVerified: boolean }> {
    const totp = await this.#getTotp(session, 'NOT_FOUND')
    return { totp, isVerified: session.identity.verifiedTotpId === totp.id }
  }

  /** Throws NOT_FOUND also when the codes are verified: the secret is shown only until then. */
  async getUnverified(session: LiveSession): Promise<TotpRow> {
    const { totp, isVerified } = await this.get(session)
    if (isVerified) throw new AppError('NOT_FOUND')
    return totp
  }

  /** Creates unverified one-time codes, in place of those that another session left unverified. Returns their id. */
  async start({ session, meta }: CodeRequest): Promise<string> {
    const totp = this.#parts.oneTimeCodes.newTotp(session.identity.id, session.id)
    await this.#parts.store.run(startTotp, totp, meta)
    return totp.totpId
  }

  /**
   * Verifies new one-time codes and completes the session. Recovery codes are not accepted. `checkRight` throws when a right code is too little,
   * and returns the signer of the second token that came with it. Throws TooManyRequests after too many changes of own credentials.
   */
  async verify(request: CodeRequest, checkRight: () => Promise<SignerRevision | null>): Promise<void> {
    const { session, code = '', meta } = request
    const { store, oneTimeCodes, limits } = this.#parts
    const { id } = session.identity
    const totp = await this.getUnverified(session)
    const guess = oneTimeCodes.guess(totp, code, { recovery: false })
    const secondSigner = guess.match ? await checkRight() : null
    // Their removal, which needs no limit then, is a change too. A wrong code changes nothing.
    if (guess.match) limits.ownChange.begin(`${id} totp`)
    const args = { id, sessionId: session.id, secondSigner, guess }
    this.#check(request, await store.run(verifyTotp, args, meta), { completes: true })
  }

  /** Completes the session. */
  async pass(request: CodeRequest): Promise<void> {
    const args = { ...(await this.#guessOf(request)), sessionId: request.session.id }
    this.#check(request, await this.#parts.store.run(passTotp, args, request.meta), { completes: true })
  }

  /** Removes the one-time codes. Verified codes require a code. */
  async remove(request: CodeRequest): Promise<void> {
    const args = await this.#removalOf(request)
    this.#check(request, await this.#parts.store.run(removeTotp, args, request.meta))
  }

  /** Like `remove`, for a session whose login is not complete. `checkVerified` throws when a right code is too little for verified codes. */
  async removeInLogin(request: CodeRequest, checkVerified: () => void): Promise<void> {
    const args = await this.#removalOf(request)
    if (args.guess) checkVerified()
    const remove = args.guess ? removeTotpInLogin : discardTotpInLogin
    this.#check(request, await this.#parts.store.run(remove, args, request.meta))
  }

  async #removalOf(request: CodeRequest): Promise<RemoveTotp> {
    const { totp, isVerified } = await this.get(request.session)
    const guess = isVerified ? (await this.#guessOf(request)).guess : undefined
    return { id: totp.identity_id, sessionId: request.session.id, guess }
  }

  /** Spends the code. Returns the row, whose recovery codes may then be shown. Throws NOT_FOUND without verified codes. */
  async spend(request: CodeRequest): Promise<TotpRow> {
    await this.#checkVerified(request.session)
    this.#check(request, await this.#parts.store.run(checkTotpCode, await this.#guessOf(request), request.meta))
    return this.#getTotp(request.session, 'NOT_FOUND')
  }

  /** Throws NOT_FOUND without verified codes. */
  async replaceRecoveryCodes(request: CodeRequest): Promise<void> {
    await this.#checkVerified(request.session)
    const guess = await this.#guessOf(request)
    const args = { ...guess, recoveryCodes: this.#parts.oneTimeCodes.newRecoveryCodes(guess.id) }
    this.#check(request, await this.#parts.store.run(renewRecoveryCodes, args, request.meta))
  }

  async #checkVerified(session: LiveSession): Promise<void> {
    const { isVerified } = await this.get(session)
    if (!isVerified) throw new AppError('NOT_FOUND')
  }

  async #getTotp(session: LiveSession, missing: 'NOT_FOUND' | 'MFA_NOT_ENROLLED'): Promise<TotpRow> {
    const { id: sessionId, identity } = session
    const totp = await findVisibleTotp(this.#parts.store.db, identity.id, { ...identity, sessionId })
    if (!totp) throw new AppError(missing)
    return totp
  }

  /** Returns the request's code as arguments of an operation. */
  async #guessOf({ session, code }: CodeRequest) {
    const totp = await this.#getTotp(session, 'MFA_NOT_ENROLLED')
    if (!code) throw new AppError('MFA_INVALID_TOKEN')
    return { id: totp.identity_id, guess: this.#parts.oneTimeCodes.guess(totp, code, { recovery: true }) }
  }

  /** Throws unless the code was right. Reports every wrong code, and a right code when it completes the session. */
  #check(request: CodeRequest, result: CodeResult, { completes = false } = {}): void {
    const { id, remoteAddr, clientAddress: remoteAddress, session, meta } = request
    const { oneTimeCodes, logins } = this.#parts
    if (result !== 'right') {
      const reason = result === 'wrong' ? 'wrong-code' : 'too-many-codes'
      logins.factor('totp', session, refusedCode({ id, remoteAddress }, reason, session, meta.now), { id, remoteAddr })
    } else if (completes) logins.factor('totp', session, undefined, { id, remoteAddr })
    oneTimeCodes.checkResult(result)
  }
}
