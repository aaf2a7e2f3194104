import type { ControllerContext } from '../controller-context.ts'
import { clientExtJwtSignerRoutes } from './client/ext-jwt-signers.ts'
import { consolePageRoutes } from './console/console-page.ts'
import { apiSessionRoutes } from './management/api-sessions.ts'
import { authDecisionRoutes } from './management/auth-decisions.ts'
import { authPolicyRoutes } from './management/auth-policies.ts'
import { authenticatorRoutes } from './management/authenticators.ts'
import { extJwtSignerActionRoutes } from './management/ext-jwt-signer-actions.ts'
import { extJwtSignerRoutes } from './management/ext-jwt-signers.ts'
import { identityRoutes } from './management/identities.ts'
import type { Route } from './pipeline/route.ts'
import { authenticateRoutes } from './shared/authenticate.ts'
import { currentIdentityRoutes } from './shared/current-identity.ts'
import { currentSessionRoutes } from './shared/current-session.ts'
import { informationRoutes } from './shared/information.ts'

/** Every route of the product. */
export function buildRoutes(context: ControllerContext): Route[] {
  return [
    ...informationRoutes(context),
    ...consolePageRoutes(),
    ...authenticateRoutes(context),
    ...currentSessionRoutes(context),
    ...clientExtJwtSignerRoutes(context),
    ...extJwtSignerRoutes(context),
    ...extJwtSignerActionRoutes(context),
    ...authPolicyRoutes(context),
    ...authDecisionRoutes(context),
    ...identityRoutes(context),
    ...authenticatorRoutes(context),
    ...apiSessionRoutes(context),
    ...currentIdentityRoutes(context),
  ]
}
