import type { Authenticate as AuthenticateBody, AuthenticateMethod } from '@countersign/contract'
import { AppError, type StepUpReason } from '@countersign/core'
import type { ReportedRequest } from '../../events/reported-request.ts'
import type { CertificateLogin } from '../../login/certificate-login.ts'
import type { LoginReporter } from '../../login/login-reporter.ts'
import type { PasskeyLogin } from '../../login/passkeys/passkey-login.ts'
import type { PasswordLogin } from '../../login/password-login.ts'
import {
  refusedCertificate,
  refusedDisabledIdentity,
  refusedJwt,
  refusedPasskey,
  refusedPassword,
} from '../../login/refused-login.ts'
import type { TokenLogin, TokenLoginRefusal } from '../../login/token-login.ts'
import { type OpenSession, startSession } from '../../operations/api-session/start-session.ts'
import type { Clock } from '../../platform/clock.ts'
import type { LiveSession } from '../../session/live-sessions.ts'
import type { RefusedLogin } from '../../token/decision-recorder.ts'
import type { LoginExplainer } from '../../token/login-explainer.ts'
import { isPossessionReason } from '../../token/possession-challenge.ts'
import type { Call } from '../pipeline/call.ts'
import { primaryChallenge, refusedPossession, StepUpError } from '../pipeline/challenge.ts'

export interface LogInCallParts {
  readonly clock: Clock
  readonly passwordLogin: PasswordLogin
  readonly tokenLogin: Pick<TokenLogin, 'logIn'>
  readonly passkeyLogin: Pick<PasskeyLogin, 'logIn'>
  readonly certificateLogin: Pick<CertificateLogin, 'logIn'>
  readonly explainer: Pick<LoginExplainer, 'explain'>
  /** Every login is reported here, accepted or refused. */
  readonly logins: Pick<LoginReporter, 'accepted' | 'refused'>
}

export interface LoggedIn {
  readonly token: string
  readonly session: LiveSession
}

interface Refusal {
  readonly refused: RefusedLogin
  /** The error that is sent to the caller. */
  readonly error: AppError
}

/** Exchanges the credential of a call for a session. Throws the refusal, which is recorded as a decision under the request id. */
export type LogInCall = (method: AuthenticateMethod, call: CredentialCall) => Promise<LoggedIn>

export type CredentialCall = Pick<
  Call,
  'requestId' | 'clientAddress' | 'remoteAddr' | 'tokenContext' | 'untrustedBearers' | 'body' | 'clientCertificate'
> & {
  /** Opens the session; by default one with a session token. */
  readonly open?: OpenSession
  readonly untrustedUserAgent?: string | undefined
}

/** Opens the session, with the program that the call comes from and its request. */
function openFor(call: CredentialCall): OpenSession {
  const { open = startSession, untrustedUserAgent: userAgent } = call
  return (options, authenticated) => open(options, { ...authenticated, userAgent, request: reported(call) })
}

type LoginResult = ({ readonly loggedIn: true } & LoggedIn) | { readonly loggedIn: false }
type Refused<Own extends LoginResult> = Extract<Own, { readonly loggedIn: false }>

/** How a login method checks a credential, and what it records and sends when it refuses one. */
interface Method<Own extends LoginResult> {
  attempt(call: CredentialCall): Promise<Own>
  refuse(call: CredentialCall, result: Refused<Own>): Refusal
}

export function createLogInCall(parts: LogInCallParts): LogInCall {
  const { passwordLogin, certificateLogin, tokenLogin, passkeyLogin, explainer, logins, clock } = parts
  const requestOf = ({ requestId, clientAddress }: CredentialCall) => ({ id: requestId, remoteAddress: clientAddress })

  const methods: Record<AuthenticateMethod, Method<LoginResult>> = {
    password: method({
      attempt: (call) => passwordLogin.logIn(call.body as AuthenticateBody, call.tokenContext, openFor(call)),
      refuse: (call, result) => ({
        refused: refusedPassword(requestOf(call), result, clock.now()),
        error: new AppError('INVALID_AUTH'),
      }),
    }),
    'ext-jwt': method({
      attempt: (call) =>
        tokenLogin.logIn(call.untrustedBearers, call.body as AuthenticateBody, call.tokenContext, {
          request: reported(call),
          open: openFor(call),
        }),
      refuse: (call, result) => ({
        refused: refusedJwt(requestOf(call), result, {
          bearers: call.untrustedBearers,
          explainer,
          request: call.tokenContext,
        }),
        error: tokenChallenge(result),
      }),
    }),
    cert: method({
      attempt: (call) =>
        certificateLogin.logIn(
          call.clientCertificate(),
          call.body as AuthenticateBody,
          call.tokenContext,
          openFor(call),
        ),
      refuse: (call, result) => ({
        refused: refusedCertificate(requestOf(call), result, clock.now()),
        error: new AppError('INVALID_AUTH'),
      }),
    }),
    passkey: method({
      attempt: (call) => passkeyLogin.logIn(call.body as AuthenticateBody, call.tokenContext, openFor(call)),
      refuse: (call, result) => ({
        refused: refusedPasskey(requestOf(call), result, clock.now()),
        error: new AppError('INVALID_AUTH'),
      }),
    }),
  }

  const refusedByOperation = (name: AuthenticateMethod, call: CredentialCall, error: unknown): Refusal => {
    if (!(error instanceof AppError) || error.code !== 'INVALID_AUTH') throw error
    return { refused: refusedDisabledIdentity(requestOf(call), name), error }
  }

  // A single async function: each further one costs a login about a microsecond.
  return async (name, call) => {
    const { attempt, refuse } = methods[name]
    let refusal: Refusal
    try {
      const result = await attempt(call)
      if (result.loggedIn) {
        logins.accepted(result.session, reported(call))
        return result
      }
      refusal = refuse(call, result)
    } catch (error) {
      refusal = refusedByOperation(name, call, error)
    }
    logins.refused(refusal.refused, reported(call))
    throw refusal.error
  }
}

/** A valid token of a login that is too weak or too old gets the requirements, which the client can act on. */
function tokenChallenge({ challenge, signer, reason, requirements }: TokenLoginRefusal): AppError {
  if (requirements) return new StepUpError(reason as StepUpReason, requirements)
  if (isPossessionReason(reason)) return refusedPossession(reason, signer)
  return primaryChallenge(challenge, signer)
}

/** Safe to widen: `refuse` only receives results of the same method's `attempt`. */
function method<Own extends LoginResult>(own: Method<Own>): Method<LoginResult> {
  return own as unknown as Method<LoginResult>
}

function reported({ requestId, remoteAddr }: CredentialCall): ReportedRequest {
  return { id: requestId, remoteAddr }
}
