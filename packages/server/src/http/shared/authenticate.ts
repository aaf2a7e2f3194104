import { AUTHENTICATE_METHODS, Authenticate, type AuthenticateMethod } from '@countersign/contract'
import { AppError, fieldError } from '@countersign/core'
import type { SecondFactor } from '../../login/second-factor.ts'
import { onBothApis } from '../api-paths.ts'
import { secondaryChallenge } from '../pipeline/challenge.ts'
import { detail } from '../pipeline/envelope.ts'
import type { Query } from '../pipeline/query.ts'
import type { Route } from '../pipeline/route.ts'
import { describe } from '../pipeline/route-note.ts'
import { currentSessionView, expirationSeconds, expiresAtHeader } from './api-session-view.ts'
import { createLogInCall, type LogInCallParts } from './log-in-call.ts'

interface AuthenticateRouteParts extends LogInCallParts {
  readonly secondFactor: SecondFactor
}

/** Login: exchanges a credential for a session. */
export function authenticateRoutes(parts: AuthenticateRouteParts): Route[] {
  const { secondFactor, clock } = parts
  const logIn = createLogInCall(parts)
  return [
    {
      method: 'POST',
      paths: onBothApis('/authenticate'),
      access: 'anonymous',
      rate: 'attempt',
      bodyCap: 'anonymous',
      body: { schema: Authenticate, optional: true },
      note: describe.one('CurrentApiSession', 'Log in and start a session', {
        parameters: ['method'],
        acceptsToken: true,
        description:
          'The session token is in `data.token` and in the header `zt-session`. With `method=ext-jwt` the credential is a token of an External JWT Signer in `Authorization: Bearer`, and the body is optional. ' +
          '`authQueries` lists the second factors that the session still lacks.',
      }),
      handle: async (call) => {
        const { token, session } = await logIn(methodOf(call.query), call)
        const missing = await secondFactor.findMissing(session, call.untrustedBearers, call.tokenContext)
        const now = clock.now()
        const challenge = secondaryChallenge(missing)
        return {
          ...detail(currentSessionView(session, token, { now, missing })),
          headers: {
            'zt-session': token,
            'expiration-seconds': String(expirationSeconds(session, now)),
            'expires-at': expiresAtHeader(session.expiresAt),
            'cache-control': 'no-store',
            ...(session.certificate?.isExtendRequested && { 'ziti-authenticator-extend-requested': 'true' }),
            ...(challenge !== undefined && { 'www-authenticate': challenge }),
          },
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
