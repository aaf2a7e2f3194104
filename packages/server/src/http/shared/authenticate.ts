import { AUTHENTICATE_METHODS, Authenticate, type AuthenticateMethod } from '@countersign/contract'
import { AppError, fieldError } from '@countersign/core'
import { onBothApis } from '../api-paths.ts'
import type { ControllerContext } from '../controller-context.ts'
import { secondaryChallenge } from '../pipeline/challenge.ts'
import type { Query } from '../pipeline/query.ts'
import type { Route } from '../pipeline/route.ts'
import { expirationSeconds, expiresAtHeader } from './api-session-view.ts'
import { newSessionText } from './new-session-text.ts'
import { createSignInCall } from './sign-in-call.ts'

/** Trading a credential for a session. */
export function authenticateRoutes(context: ControllerContext): Route[] {
  const { secondFactor, clock } = context
  const signIn = createSignInCall(context)
  return [
    {
      method: 'POST',
      paths: onBothApis('/authenticate'),
      access: 'anonymous',
      rate: 'sign-in',
      bodyCap: 'anonymous',
      body: { schema: Authenticate, optional: true },
      handle: async (call) => {
        const { token, session } = await signIn(methodOf(call.query), call)
        const found = secondFactor.findMissing(session, call.untrustedBearers)
        const missing = found instanceof Promise ? await found : found
        const now = clock.now()
        const challenge = secondaryChallenge(missing)
        return {
          status: 200,
          headers: {
            'zt-session': token,
            'expiration-seconds': String(expirationSeconds(session, now)),
            'expires-at': expiresAtHeader(session.expiresAt),
            'cache-control': 'no-store',
            ...(session.certificate?.isExtendRequested && { 'ziti-authenticator-extend-requested': 'true' }),
            ...(challenge !== undefined && { 'www-authenticate': challenge }),
          },
          text: newSessionText({ session, token, now, missing }),
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
