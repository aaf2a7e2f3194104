import { AppError } from '@countersign/core'
import { removeTotp } from '../operations/totp/remove-totp.ts'
import type { CodeOutcome } from '../operations/totp/spend-code.ts'
import { startTotp, verifyTotp } from '../operations/totp/start-totp.ts'
import { checkTotpCode, passTotp, renewRecoveryCodes } from '../operations/totp/use-totp.ts'
import type { LiveSession } from '../session/live-sessions.ts'
import type { OperationMeta } from '../store/operation-meta.ts'
import { findTotp } from '../store/reads/totp-reads.ts'
import type { TotpRow } from '../store/schema.ts'
import type { Store } from '../store/store.ts'
import type { LoginReporter } from './login-reporter.ts'
import type { OneTimeCodes } from './one-time-codes.ts'
import { refusedCode } from './refused-login.ts'

export interface OwnOneTimeCodesParts {
  readonly store: Pick<Store, 'db' | 'run'>
  readonly oneTimeCodes: OneTimeCodes
  readonly logins: Pick<LoginReporter, 'code'>
}

/** A request with a session, which may give a one-time code or a recovery code. */
export interface CodeRequest {
  readonly id: string
  /** With the port, where it is known. */
  readonly remoteAddr: string
  readonly clientAddress: string
  readonly session: LiveSession
  readonly code: string | undefined
  readonly meta: OperationMeta
}

/**
 * The one-time codes of a session's own identity. Methods that take a code fail with MFA_NOT_ENROLLED when there are none, with
 * MFA_INVALID_TOKEN for a wrong code, which is reported, and with TooManyRequests after too many of them.
 */
export class OwnOneTimeCodes {
  readonly #parts: OwnOneTimeCodesParts

  constructor(parts: OwnOneTimeCodesParts) {
    this.#parts = parts
  }

  /** NOT_FOUND when there are none. */
  async get({ identity }: LiveSession): Promise<{ readonly totp: TotpRow; readonly isVerified: boolean }> {
    const totp = await this.#getTotp(identity.id, 'NOT_FOUND')
    return { totp, isVerified: identity.verifiedTotpId === totp.id }
  }

  /** NOT_FOUND also when they are verified: the secret is shown until then. */
  async getUnverified(session: LiveSession): Promise<TotpRow> {
    const { totp, isVerified } = await this.get(session)
    if (isVerified) throw new AppError('NOT_FOUND')
    return totp
  }

  /** Creates one-time codes, not verified yet. Returns their id. */
  async start({ session, meta }: CodeRequest): Promise<string> {
    const totp = this.#parts.oneTimeCodes.newTotp(session.identity.id)
    await this.#parts.store.run(startTotp, totp, meta)
    return totp.totpId
  }

  /** Verifies new one-time codes and completes the session. Recovery codes do not count here. */
  async verify(request: CodeRequest): Promise<void> {
    const { session, code = '', meta } = request
    const totp = await this.getUnverified(session)
    const guess = this.#parts.oneTimeCodes.guess(totp, code, { recovery: false })
    const args = { id: session.identity.id, sessionId: session.id, guess }
    this.#check(request, await this.#parts.store.run(verifyTotp, args, meta), { completes: true })
  }

  /** Completes the session. */
  async pass(request: CodeRequest): Promise<void> {
    const args = { ...(await this.#given(request)), sessionId: request.session.id }
    this.#check(request, await this.#parts.store.run(passTotp, args, request.meta), { completes: true })
  }

  /** Removes the one-time codes; verified ones only with a code. */
  async remove(request: CodeRequest): Promise<void> {
    const { totp, isVerified } = await this.get(request.session)
    const guess = isVerified ? (await this.#given(request)).guess : undefined
    this.#check(request, await this.#parts.store.run(removeTotp, { id: totp.identity_id, guess }, request.meta))
  }

  /** Spends the code and returns the row whose recovery codes may be shown. */
  async spend(request: CodeRequest): Promise<TotpRow> {
    this.#check(request, await this.#parts.store.run(checkTotpCode, await this.#given(request), request.meta))
    return this.#getTotp(request.session.identity.id, 'NOT_FOUND')
  }

  async replaceRecoveryCodes(request: CodeRequest): Promise<void> {
    const given = await this.#given(request)
    const args = { ...given, recoveryCodes: this.#parts.oneTimeCodes.newRecoveryCodes(given.id) }
    this.#check(request, await this.#parts.store.run(renewRecoveryCodes, args, request.meta))
  }

  async #getTotp(identityId: string, missing: 'NOT_FOUND' | 'MFA_NOT_ENROLLED'): Promise<TotpRow> {
    const totp = await findTotp(this.#parts.store.db, identityId)
    if (!totp) throw new AppError(missing)
    return totp
  }

  /** The code of the request as the arguments of an operation. */
  async #given({ session, code }: CodeRequest) {
    const totp = await this.#getTotp(session.identity.id, 'MFA_NOT_ENROLLED')
    if (!code) throw new AppError('MFA_INVALID_TOKEN')
    return { id: totp.identity_id, guess: this.#parts.oneTimeCodes.guess(totp, code, { recovery: true }) }
  }

  /** Throws unless the code was right. Reports every wrong code, and a right one only where it completes the session. */
  #check(request: CodeRequest, outcome: CodeOutcome, { completes = false } = {}): void {
    const { id, remoteAddr, clientAddress: remoteAddress, session, meta } = request
    const { oneTimeCodes, logins } = this.#parts
    if (outcome !== 'right') {
      const reason = outcome === 'wrong' ? 'wrong-code' : 'too-many-codes'
      logins.code(session, refusedCode({ id, remoteAddress }, reason, session, meta.now), { id, remoteAddr })
    } else if (completes) logins.code(session, undefined, { id, remoteAddr })
    oneTimeCodes.checkOutcome(outcome)
  }
}
