import { AppError } from '@countersign/core'
import { type CodeRequest, OwnOneTimeCodes, type OwnOneTimeCodesParts } from '../../login/own-one-time-codes.ts'
import { canVerifyCodes, maySetUpNothing } from '../../login/second-factor.ts'
import type { Oidc } from '../../oidc/create-oidc.ts'
import type { Clock } from '../../platform/clock.ts'
import type { SignerRevision } from '../../store/actor-credential.ts'
import type { StoredOidcLogin } from '../../store/oidc-login.ts'
import type { TotpRow } from '../../store/schema.ts'
import type { TokenContext } from '../../token/request-proofs.ts'
import type { Call } from '../pipeline/call.ts'
import { missingFactors } from '../pipeline/challenge.ts'
import { timestamp } from '../pipeline/envelope.ts'
import { operationMeta } from '../pipeline/operation-meta.ts'
import type { Route, RouteResponse } from '../pipeline/route.ts'
import type { QrPictures } from '../shared/qr-pictures.ts'
import { type Accepted, chooseType } from './accept.ts'
import { findOwnLogin, refuseUnknown, showStep } from './login.ts'
import { loginIdOf, readLoginBody } from './login-body.ts'
import { codePage, newCodesPage } from './login-page.ts'
import type { LoginStep, LoginSteps } from './login-steps.ts'
import { issuerFor, NO_STORE, oidcRoute } from './oidc-call.ts'

export interface LoginCodeRouteParts extends OwnOneTimeCodesParts {
  readonly clock: Clock
  readonly oidc: Pick<Oidc, 'issuers' | 'logins'>
  readonly loginSteps: LoginSteps
  readonly qrPictures: Pick<QrPictures, 'get'>
}

/** A step of a login with a one-time code. */
interface CodeStep {
  readonly issuer: string
  readonly accepted: Accepted
  readonly login: StoredOidcLogin
  readonly step: LoginStep
  readonly request: CodeRequest
  readonly tokenContext: TokenContext
}

const WRONG_CODE = 'The code is not right.'

/** The one-time codes of a login: as second factor, and their set-up where the policy requires them. */
export function loginCodeRoutes(parts: LoginCodeRouteParts): Route[] {
  const { clock, oneTimeCodes, oidc, loginSteps, qrPictures } = parts
  const own = new OwnOneTimeCodes(parts)

  const begin = async (call: Call): Promise<CodeStep | Accepted> => {
    const issuer = issuerFor(oidc.issuers, call)
    const accepted = chooseType(call.untrustedHead.headers.accept)
    const body = readLoginBody(call)
    const login = await findOwnLogin(oidc, call, loginIdOf(body, call))
    const step = login && (await loginSteps.find(login, call.tokenContext))
    if (!login || !step) return accepted
    const { session, signer: secondSigner } = step
    const { requestId: id, remoteAddr, clientAddress, tokenContext, source } = call
    const meta = operationMeta({ session, source, secondSigner }, clock.now())
    const request = { id, remoteAddr, clientAddress, session, code: body.code, meta }
    return { issuer, accepted, login, step, request, tokenContext }
  }

  /** Where the login stands after a code was accepted. */
  const showNext = async ({ login, tokenContext, ...context }: CodeStep): Promise<RouteResponse> => {
    const step = await loginSteps.find(login, tokenContext)
    return step ? showStep({ login, ...context }, step) : refuseUnknown(context.accepted)
  }

  const pass = async (call: Call): Promise<RouteResponse> => {
    const found = await begin(call)
    if (typeof found === 'string') return found === 'html' ? refuseUnknown(found) : refuseCode()
    try {
      await own.pass(found.request)
    } catch (error) {
      if (!isWrongCode(error)) throw error
      if (found.accepted !== 'html') refuseCode()
      return codePage(found.login, { name: found.step.session.identity.name, refusal: WRONG_CODE })
    }
    return showNext(found)
  }

  const start = async (call: Call): Promise<RouteResponse> => {
    const found = await begin(call)
    if (typeof found === 'string') return refuseUnknown(found)
    const { request, accepted, step } = found
    if (maySetUpNothing(step.missing)) throw missingFactors(step.missing)
    // A page that is sent twice shows the codes again, as long as they are not verified.
    if (accepted !== 'html' || !(await isStarted(request))) await own.start(request)
    const totp = await own.getUnverified(request.session)
    return accepted === 'html' ? newCodes(found, totp) : { status: 201, headers: NO_STORE, json: view(found, totp) }
  }

  const isStarted = async ({ session }: CodeRequest): Promise<boolean> => {
    try {
      return !(await own.get(session)).isVerified
    } catch (error) {
      if (error instanceof AppError && error.code === 'NOT_FOUND') return false
      throw error
    }
  }

  const urlOf = ({ request: { session } }: CodeStep, totp: TotpRow): string =>
    oneTimeCodes.provisioningUrl(totp, session.identity.name)

  const newCodes = (found: CodeStep, totp: TotpRow, refusal?: string): RouteResponse => {
    const provisioningUrl = urlOf(found, totp)
    return newCodesPage(found.login, {
      name: found.request.session.identity.name,
      provisioningUrl,
      qrPicture: qrPictures.get(provisioningUrl),
      recoveryCodes: oneTimeCodes.recoveryCodes(totp),
      refusal,
    })
  }

  const view = (found: CodeStep, totp: TotpRow) => ({
    _links: null,
    id: totp.id,
    createdAt: timestamp(totp.created_at),
    updatedAt: timestamp(totp.updated_at),
    isVerified: false,
    provisioningUrl: urlOf(found, totp),
    recoveryCodes: oneTimeCodes.recoveryCodes(totp),
  })

  const verify = async (call: Call): Promise<RouteResponse> => {
    const found = await begin(call)
    if (typeof found === 'string') return refuseUnknown(found)
    const { request, accepted, step } = found
    try {
      await own.verify(request, async () => checkRequired(step))
    } catch (error) {
      if (accepted !== 'html' || !isWrongCode(error)) throw error
      return newCodes(found, await own.getUnverified(request.session), WRONG_CODE)
    }
    return showNext(found)
  }

  const remove = async (call: Call): Promise<RouteResponse> => {
    const found = await begin(call)
    if (typeof found === 'string') return refuseUnknown(found)
    await own.removeInLogin(found.request, () => checkOthers(found.step))
    return { status: 200, headers: NO_STORE, json: {} }
  }

  return [
    oidcRoute({ method: 'POST', paths: ['/login/totp'], handle: pass }),
    oidcRoute({ method: 'POST', paths: ['/login/totp/enroll'], handle: start }),
    oidcRoute({ method: 'DELETE', paths: ['/login/totp/enroll'], handle: remove }),
    oidcRoute({ method: 'POST', paths: ['/login/totp/enroll/verify'], handle: verify }),
  ]
}

function refuseCode(): never {
  throw new AppError('INVALID_TOTP_CODE')
}

const isWrongCode = (error: unknown): boolean =>
  error instanceof AppError && (error.code === 'MFA_INVALID_TOKEN' || error.code === 'MFA_NOT_ENROLLED')

/** A thief of the password and of one code, who lacks the token that the policy requires, must not replace the codes. */
function checkOthers({ missing }: LoginStep): void {
  const others = missing.filter(({ kind }) => kind !== 'totp')
  if (others.length > 0) throw missingFactors(others)
}

function checkRequired({ missing, signer }: LoginStep): SignerRevision | null {
  if (!canVerifyCodes(missing)) throw missingFactors(missing)
  return signer
}
