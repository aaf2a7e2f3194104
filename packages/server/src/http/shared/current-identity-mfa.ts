import { CODE_HEADER, type OneTimeCode as CodeBody, OneTimeCode } from '@countersign/contract'
import { AppError } from '@countersign/core'
import { refusedCode } from '../../login/refused-login.ts'
import { removeTotp } from '../../operations/totp/remove-totp.ts'
import type { CodeOutcome } from '../../operations/totp/spend-code.ts'
import { startTotp, verifyTotp } from '../../operations/totp/start-totp.ts'
import { checkTotpCode, passTotp, renewRecoveryCodes } from '../../operations/totp/use-totp.ts'
import { findTotp } from '../../store/reads/totp-reads.ts'
import type { TotpRow } from '../../store/schema.ts'
import { onBothApis } from '../api-paths.ts'
import type { ControllerContext } from '../controller-context.ts'
import type { Call } from '../pipeline/call.ts'
import { detail, done, timestamp } from '../pipeline/envelope.ts'
import { operationMeta } from '../pipeline/operation-meta.ts'
import { type Answer, type Method, type Route, sessionOf } from '../pipeline/route.ts'
import { qrPng } from './qr-png.ts'

const MFA = '/current-identity/mfa'
const LINK = { href: `.${MFA}` }
const UNVERIFIED_LINKS = { qr: { href: `.${MFA}/qr-code` }, verify: { href: `.${MFA}/verify` } }

/** The caller's own one-time codes. A session that lacks a factor may set them up and give a code, and nothing more. */
export function currentIdentityMfaRoutes({ store, clock, oneTimeCodes, signIns }: ControllerContext): Route[] {
  const meta = (call: Call) => operationMeta(call, clock.now())
  const getTotp = async (call: Call, missing: 'NOT_FOUND' | 'MFA_NOT_ENROLLED'): Promise<TotpRow> => {
    const totp = await findTotp(store.db, sessionOf(call).identity.id)
    if (!totp) throw new AppError(missing)
    return totp
  }
  const isVerified = (call: Call, { id }: TotpRow): boolean => sessionOf(call).identity.verifiedTotpId === id

  const getUnverified = async (call: Call): Promise<TotpRow> => {
    const totp = await getTotp(call, 'NOT_FOUND')
    if (isVerified(call, totp)) throw new AppError('NOT_FOUND')
    return totp
  }
  const urlOf = (call: Call, totp: TotpRow) => oneTimeCodes.provisioningUrl(totp, sessionOf(call).identity.name)

  /** A code of the body or the header, as what the transaction wants to know of it. */
  const given = async (call: Call) => {
    const code = (call.body as CodeBody | undefined)?.code ?? call.untrustedHeaderLines(CODE_HEADER)[0]
    const totp = await getTotp(call, 'MFA_NOT_ENROLLED')
    if (!code) throw new AppError('MFA_INVALID_TOKEN')
    return { id: totp.identity_id, guess: oneTimeCodes.guess(totp, code, { recovery: true }) }
  }

  /** Fails unless the code was right. Every wrong code is reported, a right one only where it completes the session. */
  const check = (call: Call, outcome: CodeOutcome, { completes = false } = {}): void => {
    const request = { id: call.requestId, remoteAddr: call.remoteAddr }
    const session = sessionOf(call)
    if (outcome !== 'right') {
      const reason = outcome === 'wrong' ? 'wrong-code' : 'too-many-codes'
      const refused = { id: call.requestId, remoteAddress: call.clientAddress }
      signIns.code(session, refusedCode(refused, reason, session, clock.now()), request)
    } else if (completes) signIns.code(session, undefined, request)
    oneTimeCodes.checkOutcome(outcome)
  }

  const row = (
    method: Method,
    path: string,
    access: 'partial-session' | 'any-session',
    handle: Route['handle'],
    takesCode = false,
  ): Route => ({
    method,
    paths: onBothApis(path),
    access,
    bodyCap: 'anonymous',
    body: takesCode ? { schema: OneTimeCode, optional: false } : null,
    handle,
  })

  const show = async (call: Call): Promise<Answer> => {
    const totp = await getTotp(call, 'NOT_FOUND')
    const verified = isVerified(call, totp)
    return detail({
      _links: { self: LINK, ...(!verified && UNVERIFIED_LINKS) },
      ...base(totp),
      isVerified: verified,
      ...(!verified && { provisioningUrl: urlOf(call, totp) }),
      recoveryCodes: verified ? null : oneTimeCodes.recoveryCodes(totp),
    })
  }

  const start = async (call: Call): Promise<Answer> => {
    const totp = oneTimeCodes.newTotp(sessionOf(call).identity.id)
    await store.run(startTotp, totp, meta(call))
    return { status: 201, json: { data: { _links: { self: LINK }, id: totp.totpId }, meta: {} } }
  }

  const verify = async (call: Call): Promise<Answer> => {
    const totp = await getUnverified(call)
    const { id: sessionId, identity } = sessionOf(call)
    const guess = oneTimeCodes.guess(totp, (call.body as CodeBody).code, { recovery: false })
    const args = { id: identity.id, sessionId, guess }
    check(call, await store.run(verifyTotp, args, meta(call)), { completes: true })
    return done()
  }

  const pass = async (call: Call): Promise<Answer> => {
    const args = { ...(await given(call)), sessionId: sessionOf(call).id }
    check(call, await store.run(passTotp, args, meta(call)), { completes: true })
    return done()
  }

  const remove = async (call: Call): Promise<Answer> => {
    const totp = await getTotp(call, 'NOT_FOUND')
    const guess = isVerified(call, totp) ? (await given(call)).guess : undefined
    const args = { id: totp.identity_id, guess }
    check(call, await store.run(removeTotp, args, meta(call)))
    return done()
  }

  const showRecoveryCodes = async (call: Call): Promise<Answer> => {
    check(call, await store.run(checkTotpCode, await given(call), meta(call)))
    const totp = await getTotp(call, 'NOT_FOUND')
    return detail({ _links: { self: LINK }, ...base(totp), recoveryCodes: oneTimeCodes.recoveryCodes(totp) })
  }

  const replaceRecoveryCodes = async (call: Call): Promise<Answer> => {
    const code = await given(call)
    const args = { ...code, recoveryCodes: oneTimeCodes.newRecoveryCodes(code.id) }
    check(call, await store.run(renewRecoveryCodes, args, meta(call)))
    return done()
  }

  return [
    row('POST', MFA, 'partial-session', start),
    row('GET', MFA, 'partial-session', show),
    row('DELETE', MFA, 'any-session', remove),
    {
      ...row('GET', `${MFA}/qr-code`, 'partial-session', async (call) => {
        const content = qrPng(urlOf(call, await getUnverified(call)))
        return { status: 200, bytes: { content, type: 'image/png' } }
      }),
      produces: 'image/png',
    },
    row('POST', `${MFA}/verify`, 'partial-session', verify, true),
    row('GET', `${MFA}/recovery-codes`, 'any-session', showRecoveryCodes),
    row('POST', `${MFA}/recovery-codes`, 'any-session', replaceRecoveryCodes, true),
    row('POST', '/authenticate/mfa', 'partial-session', pass, true),
    // For sessions that are tokens themselves, of which there are none here.
    row(
      'POST',
      '/current-api-session/totp-token',
      'any-session',
      () => {
        throw new AppError('INVALID_BACKING_TOKEN_TYPE')
      },
      true,
    ),
  ]
}

function base({ id, created_at: createdAt, updated_at: updatedAt }: TotpRow) {
  return { id, createdAt: timestamp(createdAt), updatedAt: timestamp(updatedAt), tags: {} }
}
