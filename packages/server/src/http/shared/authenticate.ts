import {
  AUTHENTICATE_METHODS,
  Authenticate,
  type Authenticate as AuthenticateBody,
  type AuthenticateMethod,
} from '@countersign/contract'
import { AppError, fieldError } from '@countersign/core'
import type { LiveSession } from '../../api-session/live-sessions.ts'
import type { ControllerContext } from '../../controller-context.ts'
import type { RefusedSignIn } from '../../sign-in/decision-recorder.ts'
import { refusedCertificate, refusedJwt, refusedMeanwhile, refusedPassword } from '../../sign-in/refused-sign-in.ts'
import { onBothApis } from '../api-paths.ts'
import { primaryChallenge, secondaryChallenge } from '../pipeline/challenge.ts'
import type { Query } from '../pipeline/query.ts'
import type { Call, Route } from '../pipeline/route.ts'
import { currentSessionView, expiresAtHeader } from './api-session-view.ts'

interface SignedIn {
  readonly token: string
  readonly session: LiveSession
}

interface Refusal {
  readonly refused: RefusedSignIn
  /** What the caller is told of it. */
  readonly error: AppError
}

/** Trading a credential for a session. Every refusal is noted under its request id, for administrators. */
export function authenticateRoutes(context: ControllerContext): Route[] {
  const { logInWithPassword, signInWithCertificate, signInWithJwt, explainSignIn, signIns, secondFactor, clock } =
    context
  const requestOf = ({ requestId, clientAddress }: Call) => ({ id: requestId, remoteAddress: clientAddress })

  const signIn: Record<AuthenticateMethod, (call: Call) => Promise<SignedIn | Refusal>> = {
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
  return [
    {
      method: 'POST',
      paths: onBothApis('/authenticate'),
      access: 'anonymous',
      rate: 'sign-in',
      bodyCap: 'anonymous',
      body: { schema: Authenticate, optional: true },
      handle: async (call) => {
        const method = methodOf(call.query)
        const outcome = await signIn[method](call).catch((error: unknown) => {
          if (!(error instanceof AppError) || error.code !== 'INVALID_AUTH') throw error
          return { refused: refusedMeanwhile(requestOf(call), method), error }
        })
        const request = { id: call.requestId, remoteAddr: call.source.remoteAddr }
        if ('refused' in outcome) {
          signIns.refused(outcome.refused, request)
          throw outcome.error
        }
        const { token, session } = outcome
        signIns.accepted(session, request)
        const missing = await secondFactor.findMissing(session, call.untrustedBearers)
        const data = currentSessionView(session, token, { now: clock.now(), missing })
        const challenge = secondaryChallenge(missing)
        return {
          status: 200,
          headers: {
            'zt-session': token,
            'expiration-seconds': String(data.expirationSeconds),
            'expires-at': expiresAtHeader(session.expiresAt),
            'cache-control': 'no-store',
            ...(session.certificate?.isExtendRequested && { 'ziti-authenticator-extend-requested': 'true' }),
            ...(challenge !== undefined && { 'www-authenticate': challenge }),
          },
          json: { data, meta: {} },
        }
      },
    },
  ]
}

function methodOf(query: Query): AuthenticateMethod {
  const given = query.get('method')
  if (given === undefined) {
    throw new AppError('COULD_NOT_VALIDATE', { field: 'method', reason: 'method in query is required', value: '[]' })
  }
  const method = AUTHENTICATE_METHODS.find((known) => known === given)
  if (method) return method
  throw fieldError('method', `method in query should be one of [${AUTHENTICATE_METHODS.join(' ')}]`, given)
}
