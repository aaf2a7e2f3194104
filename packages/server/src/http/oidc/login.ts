import { ERRORS } from '@countersign/contract'
import { AppError, OIDC_LOGIN_METHODS, type OidcLoginMethod, readCsr } from '@countersign/core'
import type { Oidc } from '../../oidc/create-oidc.ts'
import type { StoredOidcLogin } from '../../store/oidc-login.ts'
import { browserLoginOf } from '../../token/browser-login.ts'
import type { Call } from '../pipeline/call.ts'
import { secondaryChallenge } from '../pipeline/challenge.ts'
import type { Route, RouteResponse } from '../pipeline/route.ts'
import { isOwnPage } from '../pipeline/session-cookie.ts'
import { oidcAuthQueries } from '../shared/auth-queries.ts'
import type { LogInCall } from '../shared/log-in-call.ts'
import { type Accepted, chooseType } from './accept.ts'
import { isSameBrowser } from './browser-binding.ts'
import { loginIdOf, readLoginBody } from './login-body.ts'
import {
  beginCodesPage,
  certificatePage,
  codePage,
  endPage,
  type PageLogin,
  passwordPage,
  secondTokenPage,
  tokenPage,
} from './login-page.ts'
import type { LoginStep, LoginSteps } from './login-steps.ts'
import { issuerFor, NO_STORE, oidcRoute, plainText, redirect } from './oidc-call.ts'

export interface LoginRouteParts {
  readonly oidc: Pick<Oidc, 'issuers' | 'logins'>
  readonly loginSteps: LoginSteps
  readonly logIn: LogInCall
}

/** Existing clients use both names. */
const METHOD_PATHS: Readonly<Record<OidcLoginMethod, readonly string[]>> = {
  password: ['/login/username', '/login/password'],
  cert: ['/login/cert'],
  'ext-jwt': ['/login/ext-jwt'],
}

const PAGES = { password: passwordPage, cert: certificatePage, 'ext-jwt': tokenPage }
const REFUSED: Readonly<Record<OidcLoginMethod, string>> = {
  password: 'The user name or the password is not right.',
  cert: 'The browser has sent no certificate that can sign in.',
  'ext-jwt': 'The token cannot sign in.',
}
const UNKNOWN_LOGIN = 'This sign-in has expired, or it was not started in this browser.'
const RULE_REFUSED = 'The rule of your policy refuses this login.'
const STEP_UP = 'A stronger or more recent login at the identity provider is required.'
const NEEDS_PASSKEY =
  'Your authentication policy requires a passkey, which this sign-in does not offer. Sign in to the console, or ask an administrator for another policy.'
const MUST_POST = 'please POST to this URL'

/** The login pages, and the step in which an identity proves itself with its first credential. */
export function loginRoutes({ oidc, loginSteps, logIn }: LoginRouteParts): Route[] {
  const { issuers, logins } = oidc

  const showPage =
    (method: OidcLoginMethod) =>
    async (call: Call): Promise<RouteResponse> => {
      issuerFor(issuers, call)
      const isBrowser = chooseType(call.untrustedHead.headers.accept) === 'html'
      const login = await logins.findRequest(call.query.get('authRequestID') || call.query.get('id') || '')
      if (!login || !isSameBrowser(login, call)) return endPage(404, UNKNOWN_LOGIN)
      if (isBrowser || method === 'password') return PAGES[method](login)
      const text = plainText(200, MUST_POST)
      return { ...text, headers: { ...text.headers, 'auth-request-id': login.id } }
    }

  const logInBy =
    (method: OidcLoginMethod) =>
    async (call: Call): Promise<RouteResponse> => {
      const issuer = issuerFor(issuers, call)
      const accepted = chooseType(call.untrustedHead.headers.accept)
      const body = readLoginBody(call)
      const login = await logins.findRequest(loginIdOf(body, call))
      if (!login || !isSameBrowser(login, call)) return refuseUnknown(accepted)
      // A page of another site could otherwise make a browser log in with its certificate, and collect the code.
      if (method === 'cert' && isForeignPage(call)) throw new AppError('FORBIDDEN')
      const csrPem = body.csrPem || undefined
      if (csrPem !== undefined) readCsr(csrPem)
      const bearers = [...call.untrustedBearers, ...(body.token ? [body.token] : [])]
      const { open, step } = loginSteps.opening(login, { bearers, csrPem, request: call.tokenContext })
      const { requestId, clientAddress, remoteAddr, tokenContext, untrustedUserAgent } = call
      const configTypes = [...login.configTypes, ...(body.configTypes ?? [])]
      const { username, password, envInfo, sdkInfo } = body
      const credential = { username, password, envInfo, sdkInfo, configTypes }
      const source = { requestId, clientAddress, remoteAddr, tokenContext }
      const request = { ...source, untrustedBearers: bearers, body: credential, open }
      try {
        await logIn(method, {
          ...request,
          untrustedUserAgent,
          clientCertificate: () => call.clientCertificate(),
        })
      } catch (error) {
        if (accepted !== 'html' || !(error instanceof AppError) || ERRORS[error.code].status !== 401) throw error
        return PAGES[method](login, { refusal: REFUSED[method], status: 401 })
      }
      return showStep({ issuer, login, accepted }, await step())
    }

  const passToken = async (call: Call): Promise<RouteResponse> => {
    const issuer = issuerFor(issuers, call)
    const accepted = chooseType(call.untrustedHead.headers.accept)
    const body = readLoginBody(call)
    const login = await findOwnLogin(oidc, call, loginIdOf(body, call))
    const step = login && (await loginSteps.find(login, call.tokenContext))
    if (!login || !step) return refuseUnknown(accepted)
    if (step.missing.every(({ kind }) => kind !== 'ext-jwt')) return showStep({ issuer, login, accepted }, step)
    const bearers = [...call.untrustedBearers, ...(body.token ? [body.token] : [])]
    const next = await loginSteps.passToken(login, step, { bearers, request: call.tokenContext })
    const isRefused = next.missing.some(({ kind }) => kind === 'ext-jwt')
    const refusal = isRefused ? 'The token is not the one that your policy requires.' : undefined
    return showStep({ issuer, login, accepted, refusal }, next)
  }

  const showQueries = async (call: Call): Promise<RouteResponse> => {
    issuerFor(issuers, call)
    const login = await findOwnLogin(oidc, call, loginIdOf({}, call))
    if (!login) throw new AppError('UNAUTHORIZED')
    const step = await loginSteps.find(login, call.tokenContext)
    return { status: 200, headers: NO_STORE, json: { authQueries: oidcAuthQueries(step?.missing ?? []) } }
  }

  return [
    ...OIDC_LOGIN_METHODS.flatMap((method) => [
      oidcRoute({ method: 'GET', paths: METHOD_PATHS[method], handle: showPage(method) }),
      oidcRoute({ method: 'POST', paths: METHOD_PATHS[method], handle: logInBy(method) }),
    ]),
    oidcRoute({ method: 'POST', paths: ['/login/second-jwt'], handle: passToken }),
    oidcRoute({ method: 'GET', paths: ['/login/auth-queries'], handle: showQueries }),
  ]
}

/** The login of a step; undefined when it has ended, or when another browser began it. */
export async function findOwnLogin(
  { logins }: Pick<Oidc, 'logins'>,
  call: Call,
  id: string,
): Promise<StoredOidcLogin | undefined> {
  const login = await logins.find(id)
  return login && isSameBrowser(login, call) ? login : undefined
}

export function refuseUnknown(accepted: Accepted): RouteResponse {
  if (accepted === 'html') return endPage(401, UNKNOWN_LOGIN)
  throw new AppError('UNAUTHORIZED')
}

/** Whether a page of another site made the request. Programs send neither header. */
function isForeignPage({ untrustedHead }: Call): boolean {
  const { origin, 'sec-fetch-site': site } = untrustedHead.headers
  return (origin !== undefined || site !== undefined) && site !== 'none' && !isOwnPage(untrustedHead)
}

function refusePasskey(accepted: Accepted): RouteResponse {
  if (accepted === 'html') return endPage(403, NEEDS_PASSKEY)
  throw new AppError('UNAUTHORIZED', { message: NEEDS_PASSKEY })
}

interface StepContext {
  readonly issuer: string
  readonly login: PageLogin
  readonly accepted: Accepted
  /** Why the credential of this request was not accepted. */
  readonly refusal?: string | undefined
}

/** The response to a login step: what the identity still lacks, or the way to the code. */
export function showStep(
  { issuer, login, accepted, refusal }: StepContext,
  { session, missing }: LoginStep,
): RouteResponse {
  // Before a new login at the provider, nothing else can be set up.
  const first = missing.find(({ kind }) => kind === 'step-up') ?? missing[0]
  // The pages have no scripts, which passkeys need.
  if (missing.some(({ kind }) => kind === 'passkey')) return refusePasskey(accepted)
  if (!first) return redirect(`${issuer}/authorize/callback?id=${login.id}`)
  if (accepted === 'html') {
    const { name } = session.identity
    const options = { name, refusal }
    if (first.kind === 'totp') return first.isEnrolled ? codePage(login, options) : beginCodesPage(login, options)
    if (first.kind === 'passkey') return refusePasskey(accepted)
    if (first.kind === 'rule') return endPage(401, RULE_REFUSED)
    if (first.kind === 'step-up') return tokenPage(login, { refusal: STEP_UP, status: 401 })
    const signer = first.signer && { name: first.signer.name, loginUrl: browserLoginOf(first.signer).externalAuthUrl }
    return secondTokenPage(login, { ...options, signer })
  }
  const challenge = secondaryChallenge(missing)
  const needsCode = missing.some(({ kind }) => kind === 'totp')
  return {
    status: 200,
    headers: {
      ...NO_STORE,
      ...(needsCode && { 'totp-required': 'true' }),
      ...(challenge !== undefined && { 'www-authenticate': challenge }),
    },
    json: { authQueries: oidcAuthQueries(missing) },
  }
}
