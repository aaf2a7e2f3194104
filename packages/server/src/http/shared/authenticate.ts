import {
  AUTHENTICATE_METHODS,
  Authenticate,
  type Authenticate as AuthenticateBody,
  type AuthenticateMethod,
} from '@countersign/contract'
import { AppError, fieldError } from '@countersign/core'
import type { LiveSession } from '../../api-session/live-sessions.ts'
import type { ControllerContext } from '../../controller-context.ts'
import { onBothApis } from '../api-paths.ts'
import { primaryChallenge } from '../pipeline/challenge.ts'
import type { Query } from '../pipeline/query.ts'
import type { Call, Route } from '../pipeline/route.ts'
import { currentSessionView, expiresAtHeader } from './api-session-view.ts'

/** Trading a credential for a session. */
export function authenticateRoutes({ logInWithPassword, signInWithJwt, clock }: ControllerContext): Route[] {
  const signIn: Record<AuthenticateMethod, (call: Call) => Promise<{ token: string; session: LiveSession }>> = {
    password: ({ body, clientAddress }) => logInWithPassword(body as AuthenticateBody, clientAddress),
    'ext-jwt': async ({ untrustedBearers, body, clientAddress }) => {
      const outcome = await signInWithJwt(untrustedBearers, body as AuthenticateBody, clientAddress)
      if (!outcome.signedIn) throw primaryChallenge(outcome.challenge, outcome.signer)
      return outcome
    },
    // Certificates are issued by enrollment: until that is there, nobody can have one.
    cert: () => Promise.reject(new AppError('INVALID_AUTH')),
  }
  return [
    {
      method: 'POST',
      paths: onBothApis('/authenticate'),
      access: 'anonymous',
      bodyCap: 'anonymous',
      body: { schema: Authenticate, optional: true },
      handle: async (call) => {
        const { token, session } = await signIn[methodOf(call.query)](call)
        const data = currentSessionView(session, token, clock.now())
        return {
          status: 200,
          headers: {
            'zt-session': token,
            'expiration-seconds': String(data.expirationSeconds),
            'expires-at': expiresAtHeader(session.expiresAt),
            'cache-control': 'no-store',
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
