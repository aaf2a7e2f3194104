import {
  AUTHENTICATE_METHODS,
  Authenticate,
  type Authenticate as AuthenticateBody,
  type AuthenticateMethod,
} from '@countersign/contract'
import { AppError, fieldError } from '@countersign/core'
import type { ControllerContext } from '../../controller-context.ts'
import { onBothApis } from '../api-paths.ts'
import type { Query } from '../pipeline/query.ts'
import type { Route } from '../pipeline/route.ts'
import { currentSessionView, expiresAtHeader } from './api-session-view.ts'

/** Trading a credential for a session. */
export function authenticateRoutes({ logInWithPassword, clock }: ControllerContext): Route[] {
  return [
    {
      method: 'POST',
      paths: onBothApis('/authenticate'),
      access: 'anonymous',
      bodyCap: 'anonymous',
      body: { schema: Authenticate, optional: true },
      handle: async ({ query, body, clientAddress }) => {
        // Signing in by certificate and by JWT arrive with their own issue; until then the method is refused by name.
        if (methodOf(query) !== 'password') throw new AppError('INVALID_AUTH_METHOD')
        const { token, session } = await logInWithPassword(body as AuthenticateBody, clientAddress)
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
