/** The OpenID provider of this controller: its endpoints and login pages, below `/oidc`. */

import type { Oidc } from '../../oidc/create-oidc.ts'
import type { Route } from '../pipeline/route.ts'
import { createLogInCall, type LogInCallParts } from '../shared/log-in-call.ts'
import { type AuthorizeRouteParts, authorizeRoutes } from './authorize.ts'
import { discoveryRoutes } from './discovery.ts'
import { loginRoutes } from './login.ts'
import { type LoginCodeRouteParts, loginCodeRoutes } from './login-codes.ts'
import { LoginSteps, type LoginStepsParts } from './login-steps.ts'
import { type TokenRouteParts, tokenRoutes } from './token.ts'

type Shared = 'oidc' | 'loginSteps'

type OidcRouteParts = LogInCallParts &
  Omit<AuthorizeRouteParts & LoginCodeRouteParts & LoginStepsParts & TokenRouteParts, Shared> & {
    /** Undefined when the setting turns the OpenID provider off. */
    readonly oidc: Oidc | undefined
  }

/** No routes when the provider is off. */
export function oidcRoutes({ oidc, ...others }: OidcRouteParts): Route[] {
  if (!oidc) return []
  const parts = { ...others, oidc }
  const withSteps = { ...parts, loginSteps: new LoginSteps(parts), logIn: createLogInCall(parts) }
  return [
    ...discoveryRoutes(oidc),
    ...authorizeRoutes(withSteps),
    ...loginRoutes(withSteps),
    ...loginCodeRoutes(withSteps),
    ...tokenRoutes(parts),
  ]
}
