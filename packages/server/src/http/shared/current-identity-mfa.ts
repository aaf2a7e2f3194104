import { CODE_HEADER, type OneTimeCode as CodeBody, OneTimeCode } from '@countersign/contract'
import { AppError } from '@countersign/core'
import { type CodeRequest, OwnOneTimeCodes, type OwnOneTimeCodesParts } from '../../login/own-one-time-codes.ts'
import { canVerifyCodes, maySetUpNothing, type SecondFactor } from '../../login/second-factor.ts'
import type { Oidc } from '../../oidc/create-oidc.ts'
import type { Clock } from '../../platform/clock.ts'
import type { SignerRevision } from '../../store/actor-credential.ts'
import type { TotpRow } from '../../store/schema.ts'
import { onBothApis } from '../api-paths.ts'
import type { Call } from '../pipeline/call.ts'
import { missingFactors } from '../pipeline/challenge.ts'
import { detail, done, timestamp } from '../pipeline/envelope.ts'
import { operationMeta } from '../pipeline/operation-meta.ts'
import { type Method, type Route, type RouteResponse, sessionOf } from '../pipeline/route.ts'
import { describe, type RouteNote } from '../pipeline/route-note.ts'
import type { QrPictures } from './qr-pictures.ts'

interface CurrentIdentityMfaRouteParts extends OwnOneTimeCodesParts {
  readonly clock: Clock
  readonly secondFactor: SecondFactor
  /** Undefined without the OpenID provider. */
  readonly oidc: Pick<Oidc, 'tokenIssuer'> | undefined
  /** host:port pairs under which clients reach this controller, the first one preferred. */
  readonly addresses: () => readonly string[]
  readonly qrPictures: Pick<QrPictures, 'get'>
}

const MFA = '/current-identity/mfa'
const LINK = { href: `.${MFA}` }
const UNVERIFIED_LINKS = { qr: { href: `.${MFA}/qr-code` }, verify: { href: `.${MFA}/verify` } }

/** Requests without a body can send the code in a header. */
const CODE_IN_HEADER = { parameters: ['validationCode'] } as const
const NOTES = {
  start: describe.created('Start to set up one-time codes'),
  show: describe.one('OneTimeCodes', 'Get the caller’s one-time codes, with the secret until they are verified'),
  remove: describe.done('Remove the caller’s one-time codes', CODE_IN_HEADER),
  showQr: describe.other('A QR code', 'Get the secret of the one-time codes as an image, until they are verified'),
  verify: describe.done('Verify the one-time codes with a first code'),
  showRecoveryCodes: describe.one('RecoveryCodes', 'Get the unused recovery codes', CODE_IN_HEADER),
  replaceRecoveryCodes: describe.done('Create new recovery codes'),
  pass: describe.done('Complete the session with a one-time code or a recovery code'),
  exchangeForToken: describe.one(
    'CodeToken',
    'Exchange a one-time code for a token, in a session with an access token',
  ),
}

/** The caller's own one-time codes. A session without its second factor can only set them up or send a code. */
export function currentIdentityMfaRoutes(parts: CurrentIdentityMfaRouteParts): Route[] {
  const { clock, oneTimeCodes, secondFactor, oidc, addresses, qrPictures } = parts
  const own = new OwnOneTimeCodes(parts)
  const requestOf = (call: Call): CodeRequest => ({
    id: call.requestId,
    remoteAddr: call.remoteAddr,
    clientAddress: call.clientAddress,
    session: sessionOf(call),
    code: (call.body as CodeBody | undefined)?.code ?? call.untrustedHeaderLines(CODE_HEADER)[0],
    meta: operationMeta(call, clock.now()),
  })
  const urlOf = (call: Call, totp: TotpRow) => oneTimeCodes.provisioningUrl(totp, sessionOf(call).identity.name)

  const show = async (call: Call): Promise<RouteResponse> => {
    const { totp, isVerified } = await own.get(sessionOf(call))
    return detail({
      _links: { self: LINK, ...(!isVerified && UNVERIFIED_LINKS) },
      ...base(totp),
      isVerified,
      ...(!isVerified && { provisioningUrl: urlOf(call, totp) }),
      recoveryCodes: isVerified ? null : oneTimeCodes.recoveryCodes(totp),
    })
  }

  const start = async (call: Call): Promise<RouteResponse> => {
    const { missing } = await secondFactor.check(sessionOf(call), call.untrustedBearers, call.tokenContext)
    if (maySetUpNothing(missing)) throw missingFactors(missing)
    const id = await own.start(requestOf(call))
    return { status: 201, json: { data: { _links: { self: LINK }, id }, meta: {} } }
  }

  const showQr = async (call: Call): Promise<RouteResponse> => {
    const content = qrPictures.get(urlOf(call, await own.getUnverified(sessionOf(call))))
    return { status: 200, bytes: { content, type: 'image/png' } }
  }

  const checkToken = async (call: Call): Promise<SignerRevision | null> => {
    const { missing, signer } = await secondFactor.check(sessionOf(call), call.untrustedBearers, call.tokenContext)
    if (!canVerifyCodes(missing)) throw missingFactors(missing)
    return signer
  }

  const verify = async (call: Call): Promise<RouteResponse> => {
    await own.verify(requestOf(call), () => checkToken(call))
    return done()
  }

  const pass = async (call: Call): Promise<RouteResponse> => {
    await own.pass(requestOf(call))
    return done()
  }

  const remove = async (call: Call): Promise<RouteResponse> => {
    await own.remove(requestOf(call))
    return done()
  }

  const showRecoveryCodes = async (call: Call): Promise<RouteResponse> => {
    const totp = await own.spend(requestOf(call))
    return detail({ _links: { self: LINK }, ...base(totp), recoveryCodes: oneTimeCodes.recoveryCodes(totp) })
  }

  const replaceRecoveryCodes = async (call: Call): Promise<RouteResponse> => {
    await own.replaceRecoveryCodes(requestOf(call))
    return done()
  }

  /** Only for sessions of the OpenID provider. */
  const exchangeForToken = async (call: Call): Promise<RouteResponse> => {
    const session = sessionOf(call)
    if (!oidc || !call.accessToken) throw new AppError('INVALID_BACKING_TOKEN_TYPE')
    await own.spend(requestOf(call))
    const { token, issuedAt } = await oidc.tokenIssuer.issueCodeToken(`https://${addresses()[0]}`, session)
    return { status: 200, json: { data: { token, issuedAt: timestamp(issuedAt) }, meta: null } }
  }

  return [
    row('POST', MFA, 'partial-session', NOTES.start, start),
    row('GET', MFA, 'partial-session', NOTES.show, show),
    row('DELETE', MFA, 'any-session', NOTES.remove, remove),
    { ...row('GET', `${MFA}/qr-code`, 'partial-session', NOTES.showQr, showQr), produces: 'image/png' },
    withCode(row('POST', `${MFA}/verify`, 'partial-session', NOTES.verify, verify)),
    row('GET', `${MFA}/recovery-codes`, 'any-session', NOTES.showRecoveryCodes, showRecoveryCodes),
    withCode(row('POST', `${MFA}/recovery-codes`, 'any-session', NOTES.replaceRecoveryCodes, replaceRecoveryCodes)),
    withCode(row('POST', '/authenticate/mfa', 'partial-session', NOTES.pass, pass)),
    withCode(row('POST', '/current-api-session/totp-token', 'any-session', NOTES.exchangeForToken, exchangeForToken)),
  ]
}

function row(
  method: Method,
  path: string,
  access: 'partial-session' | 'any-session',
  note: RouteNote,
  handle: Route['handle'],
): Route {
  return { method, paths: onBothApis(path), access, bodyCap: 'anonymous', body: null, note, handle }
}

function withCode(route: Route): Route {
  return { ...route, body: { schema: OneTimeCode, optional: false } }
}

function base({ id, created_at: createdAt, updated_at: updatedAt }: TotpRow) {
  return { id, createdAt: timestamp(createdAt), updatedAt: timestamp(updatedAt), tags: {} }
}
