import { addToUri, OAuthError, type OidcLoginMethod, readAuthorizeRequest } from '@countersign/core'
import type { AttemptLimits } from '../../limits/attempt-limits.ts'
import type { Oidc } from '../../oidc/create-oidc.ts'
import { LOGIN_SECONDS } from '../../oidc/oidc-logins.ts'
import type { Settings } from '../../platform/settings/index.ts'
import type { Call } from '../pipeline/call.ts'
import type { Route, RouteResponse } from '../pipeline/route.ts'
import { chooseType } from './accept.ts'
import { bindToBrowser, isSameBrowser } from './browser-binding.ts'
import type { LoginSteps } from './login-steps.ts'
import { issuerFor, oidcRoute, plainText, readForm, redirect } from './oidc-call.ts'

export interface AuthorizeRouteParts {
  readonly oidc: Pick<Oidc, 'issuers' | 'logins' | 'tokens'>
  readonly loginSteps: Pick<LoginSteps, 'find'>
  readonly limits: Pick<AttemptLimits, 'login'>
  readonly settings: Pick<Settings, 'oidc'>
}

const LOGIN_PAGES: Readonly<Record<OidcLoginMethod, string>> = {
  password: 'username',
  cert: 'cert',
  'ext-jwt': 'ext-jwt',
}

/** The authorization endpoint: begins a login, and at its end sends the client its code. */
export function authorizeRoutes({ oidc, loginSteps, limits, settings }: AuthorizeRouteParts): Route[] {
  const { issuers, logins, tokens } = oidc

  const begin = async (call: Call, parameters: Call['query']): Promise<RouteResponse> => {
    issuerFor(issuers, call)
    limits.login.begin(call.clientAddress)
    const request = readAuthorizeRequest(parameters, settings.oidc.redirectUris)
    const { idTokenHint, isSilent, redirectUri, state } = request
    if (idTokenHint !== undefined && !(await tokens.readIdTokenHint(idTokenHint))) {
      throw new OAuthError('login_required', 'the id_token_hint is not valid')
    }
    if (isSilent) throw new OAuthError('login_required', 'the user must log in', { redirect: { redirectUri, state } })
    const isBrowser = chooseType(call.untrustedHead.headers.accept) === 'html'
    const browser = isBrowser ? bindToBrowser(call, LOGIN_SECONDS) : undefined
    const id = await logins.begin(request, browser?.digest)
    const method = request.method ?? (call.clientFingerprint() === undefined ? 'password' : 'cert')
    const response = redirect(`/oidc/login/${LOGIN_PAGES[method]}?authRequestID=${id}`)
    return browser ? { ...response, cookies: [browser.cookie] } : response
  }

  /** Errors that the client may know are sent to its redirect URI. */
  const orRedirect = async (step: Promise<RouteResponse>): Promise<RouteResponse> => {
    try {
      return await step
    } catch (error) {
      if (!(error instanceof OAuthError) || !error.redirect) throw error
      const { error: name, description, redirect: target } = error
      const parameters = { error: name, error_description: description, state: target.state }
      return { ...redirect(addToUri(target.redirectUri, parameters)), isRefusal: true }
    }
  }

  const finish = async (call: Call): Promise<RouteResponse> => {
    issuerFor(issuers, call)
    const id = call.query.get('id')
    if (!id) return refusal('no id in request')
    const request = await logins.findRequest(id)
    if (!request || !isSameBrowser(request, call)) return refusal('request not found')
    const { redirectUri, state } = request
    const code = logins.takeCode(id) ?? (await findCode(id, call))
    if (code === undefined) return refusal('request not found')
    return redirect(addToUri(redirectUri, { code, state }))
  }

  const findCode = async (id: string, call: Call): Promise<string | undefined> => {
    const login = await logins.find(id)
    if (!login || login.code) return login && logins.codeOf(login)
    const { redirectUri, state } = login
    const step = await loginSteps.find(login, call.tokenContext)
    if (step && step.missing.length === 0) return logins.issueCode(login, step.session)
    throw new OAuthError('interaction_required', 'the login is not complete', { redirect: { redirectUri, state } })
  }

  return [
    oidcRoute({ method: 'GET', paths: ['/authorize'], handle: (call) => orRedirect(begin(call, call.query)) }),
    oidcRoute({ method: 'POST', paths: ['/authorize'], handle: (call) => orRedirect(beginByForm(call)) }),
    oidcRoute({ method: 'GET', paths: ['/authorize/callback'], handle: (call) => orRedirect(finish(call)) }),
  ]

  async function beginByForm(call: Call): Promise<RouteResponse> {
    return begin(call, readForm(call))
  }
}

function refusal(text: string): RouteResponse {
  return { ...plainText(400, text), isRefusal: true }
}
