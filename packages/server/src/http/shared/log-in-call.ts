import type { Authenticate as AuthenticateBody, AuthenticateMethod } from '@countersign/contract'
import { AppError } from '@countersign/core'
import type { ReportedRequest } from '../../events/reported-request.ts'
import type { CertificateLogin } from '../../login/certificate-login.ts'
import type { LoginReporter } from '../../login/login-reporter.ts'
import type { PasswordLogin } from '../../login/password-login.ts'
import { refusedCertificate, refusedJwt, refusedMeanwhile, refusedPassword } from '../../login/refused-login.ts'
import type { TokenLogin } from '../../login/token-login.ts'
import type { Clock } from '../../platform/clock.ts'
import type { LiveSession } from '../../session/live-sessions.ts'
import type { RefusedSignIn } from '../../token/decision-recorder.ts'
import type { LoginExplainer } from '../../token/login-explainer.ts'
import type { Call } from '../pipeline/call.ts'
import { primaryChallenge } from '../pipeline/challenge.ts'

export interface LogInCallParts {
  readonly clock: Clock
  readonly passwordLogin: PasswordLogin
  readonly tokenLogin: Pick<TokenLogin, 'logIn'>
  readonly certificateLogin: Pick<CertificateLogin, 'logIn'>
  readonly explainer: Pick<LoginExplainer, 'explain'>
  /** Every outcome of a login is reported here. */
  readonly logins: Pick<LoginReporter, 'accepted' | 'refused'>
}

export interface LoggedIn {
  readonly token: string
  readonly session: LiveSession
}

interface Refusal {
  readonly refused: RefusedSignIn
  /** The error that is sent to the caller. */
  readonly error: AppError
}

/** Exchanges the credential of a call for a session. Throws the refusal, which administrators find as a decision under the request id. */
export type LogInCall = (method: AuthenticateMethod, call: CredentialCall) => Promise<LoggedIn>

type CredentialCall = Pick<
  Call,
  'requestId' | 'clientAddress' | 'remoteAddr' | 'untrustedBearers' | 'body' | 'clientCertificate'
>

type Outcome = ({ readonly signedIn: true } & LoggedIn) | { readonly signedIn: false }
type Refused<Own extends Outcome> = Extract<Own, { readonly signedIn: false }>

/** How one method checks a credential, and what is recorded and sent when it refuses one. */
interface Method<Own extends Outcome> {
  attempt(call: CredentialCall): Promise<Own>
  refuse(call: CredentialCall, outcome: Refused<Own>): Refusal
}

export function createLogInCall(parts: LogInCallParts): LogInCall {
  const { passwordLogin, certificateLogin, tokenLogin, explainer, logins, clock } = parts
  const requestOf = ({ requestId, clientAddress }: CredentialCall) => ({ id: requestId, remoteAddress: clientAddress })

  const methods: Record<AuthenticateMethod, Method<Outcome>> = {
    password: method({
      attempt: (call) => passwordLogin.logIn(call.body as AuthenticateBody, call.clientAddress),
      refuse: (call, outcome) => ({
        refused: refusedPassword(requestOf(call), outcome, clock.now()),
        error: new AppError('INVALID_AUTH'),
      }),
    }),
    'ext-jwt': method({
      attempt: (call) => tokenLogin.logIn(call.untrustedBearers, call.body as AuthenticateBody, call.clientAddress),
      refuse: (call, outcome) => ({
        refused: refusedJwt(requestOf(call), outcome, call.untrustedBearers, explainer),
        error: primaryChallenge(outcome.challenge, outcome.signer),
      }),
    }),
    cert: method({
      attempt: (call) =>
        certificateLogin.logIn(call.clientCertificate(), call.body as AuthenticateBody, call.clientAddress),
      refuse: (call, outcome) => ({
        refused: refusedCertificate(requestOf(call), outcome, clock.now()),
        error: new AppError('INVALID_AUTH'),
      }),
    }),
  }

  const refusedLate = (name: AuthenticateMethod, call: CredentialCall, error: unknown): Refusal => {
    if (!(error instanceof AppError) || error.code !== 'INVALID_AUTH') throw error
    return { refused: refusedMeanwhile(requestOf(call), name), error }
  }

  // A single async function: each further one costs a login about a microsecond.
  return async (name, call) => {
    const { attempt, refuse } = methods[name]
    let refusal: Refusal
    try {
      const outcome = await attempt(call)
      if (outcome.signedIn) {
        logins.accepted(outcome.session, reported(call))
        return outcome
      }
      refusal = refuse(call, outcome)
    } catch (error) {
      refusal = refusedLate(name, call, error)
    }
    logins.refused(refusal.refused, reported(call))
    throw refusal.error
  }
}

/** Safe to widen: `refuse` only receives outcomes of the same method's `attempt`. */
function method<Own extends Outcome>(own: Method<Own>): Method<Outcome> {
  return own as unknown as Method<Outcome>
}

function reported({ requestId, remoteAddr }: CredentialCall): ReportedRequest {
  return { id: requestId, remoteAddr }
}
