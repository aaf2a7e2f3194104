import type { Authenticate as AuthenticateBody, AuthenticateMethod } from '@countersign/contract'
import { AppError } from '@countersign/core'
import type { SignInRequest } from '../../login/login-reporter.ts'
import { refusedCertificate, refusedJwt, refusedMeanwhile, refusedPassword } from '../../login/refused-login.ts'
import type { LiveSession } from '../../session/live-sessions.ts'
import type { RefusedSignIn } from '../../token/decision-recorder.ts'
import type { ControllerContext } from '../controller-context.ts'
import type { Call } from '../pipeline/call.ts'
import { primaryChallenge } from '../pipeline/challenge.ts'

export interface SignedIn {
  readonly token: string
  readonly session: LiveSession
}

interface Refusal {
  readonly refused: RefusedSignIn
  /** What the caller is told of it. */
  readonly error: AppError
}

/** Trades the credential of a call for a session. Throws the refusal, which is noted under its request id, for administrators. */
export type SignInCall = (method: AuthenticateMethod, call: CredentialCall) => Promise<SignedIn>

type CredentialCall = Pick<
  Call,
  'requestId' | 'clientAddress' | 'remoteAddr' | 'untrustedBearers' | 'body' | 'clientCertificate'
>

type Outcome = ({ readonly signedIn: true } & SignedIn) | { readonly signedIn: false }
type Refused<Own extends Outcome> = Extract<Own, { readonly signedIn: false }>

/** How one method tries a credential, and what is said of one that it refuses. */
interface Method<Own extends Outcome> {
  attempt(call: CredentialCall): Promise<Own>
  refuse(call: CredentialCall, outcome: Refused<Own>): Refusal
}

export function createSignInCall(context: ControllerContext): SignInCall {
  const { logInWithPassword, signInWithCertificate, signInWithJwt, explainSignIn, signIns, clock } = context
  const requestOf = ({ requestId, clientAddress }: CredentialCall) => ({ id: requestId, remoteAddress: clientAddress })

  const methods: Record<AuthenticateMethod, Method<Outcome>> = {
    password: method({
      attempt: (call) => logInWithPassword(call.body as AuthenticateBody, call.clientAddress),
      refuse: (call, outcome) => ({
        refused: refusedPassword(requestOf(call), outcome, clock.now()),
        error: new AppError('INVALID_AUTH'),
      }),
    }),
    'ext-jwt': method({
      attempt: (call) => signInWithJwt(call.untrustedBearers, call.body as AuthenticateBody, call.clientAddress),
      refuse: (call, outcome) => ({
        refused: refusedJwt(requestOf(call), outcome, call.untrustedBearers, explainSignIn),
        error: primaryChallenge(outcome.challenge, outcome.signer),
      }),
    }),
    cert: method({
      attempt: (call) =>
        signInWithCertificate(call.clientCertificate(), call.body as AuthenticateBody, call.clientAddress),
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

  // One function that waits, and no more: each that waits for another costs a sign-in a microsecond.
  return async (name, call) => {
    const { attempt, refuse } = methods[name]
    let refusal: Refusal
    try {
      const outcome = await attempt(call)
      if (outcome.signedIn) {
        signIns.accepted(outcome.session, reported(call))
        return outcome
      }
      refusal = refuse(call, outcome)
    } catch (error) {
      refusal = refusedLate(name, call, error)
    }
    signIns.refused(refusal.refused, reported(call))
    throw refusal.error
  }
}

/** A method is handed back its own outcomes only. */
function method<Own extends Outcome>(own: Method<Own>): Method<Outcome> {
  return own as unknown as Method<Outcome>
}

function reported({ requestId, remoteAddr }: CredentialCall): SignInRequest {
  return { id: requestId, remoteAddr }
}
