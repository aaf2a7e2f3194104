import type { Authenticate as AuthenticateBody, AuthenticateMethod } from '@countersign/contract'
import { AppError } from '@countersign/core'
import type { LiveSession } from '../../api-session/live-sessions.ts'
import type { ControllerContext } from '../../controller-context.ts'
import type { RefusedSignIn } from '../../sign-in/decision-recorder.ts'
import { refusedCertificate, refusedJwt, refusedMeanwhile, refusedPassword } from '../../sign-in/refused-sign-in.ts'
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
  'requestId' | 'clientAddress' | 'source' | 'untrustedBearers' | 'body' | 'clientCertificate'
>

export function createSignInCall(context: ControllerContext): SignInCall {
  const { logInWithPassword, signInWithCertificate, signInWithJwt, explainSignIn, signIns, clock } = context
  const requestOf = ({ requestId, clientAddress }: CredentialCall) => ({ id: requestId, remoteAddress: clientAddress })

  const signIn: Record<AuthenticateMethod, (call: CredentialCall) => Promise<SignedIn | Refusal>> = {
    password: async (call) => {
      const outcome = await logInWithPassword(call.body as AuthenticateBody, call.clientAddress)
      if (outcome.signedIn) return outcome
      return {
        refused: refusedPassword(requestOf(call), outcome, clock.now()),
        error: new AppError('INVALID_AUTH'),
      }
    },
    'ext-jwt': async (call) => {
      const { untrustedBearers, body, clientAddress } = call
      const outcome = await signInWithJwt(untrustedBearers, body as AuthenticateBody, clientAddress)
      if (outcome.signedIn) return outcome
      return {
        refused: refusedJwt(requestOf(call), outcome, untrustedBearers, explainSignIn),
        error: primaryChallenge(outcome.challenge, outcome.signer),
      }
    },
    cert: async (call) => {
      const { body, clientAddress } = call
      const outcome = await signInWithCertificate(call.clientCertificate(), body as AuthenticateBody, clientAddress)
      if (outcome.signedIn) return outcome
      return {
        refused: refusedCertificate(requestOf(call), outcome, clock.now()),
        error: new AppError('INVALID_AUTH'),
      }
    },
  }

  const attempt = async (method: AuthenticateMethod, call: CredentialCall): Promise<SignedIn | Refusal> => {
    try {
      return await signIn[method](call)
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'INVALID_AUTH') throw error
      return { refused: refusedMeanwhile(requestOf(call), method), error }
    }
  }

  return async (method, call) => {
    const outcome = await attempt(method, call)
    const request = { id: call.requestId, remoteAddr: call.source.remoteAddr }
    if ('refused' in outcome) {
      signIns.refused(outcome.refused, request)
      throw outcome.error
    }
    signIns.accepted(outcome.session, request)
    return outcome
  }
}
