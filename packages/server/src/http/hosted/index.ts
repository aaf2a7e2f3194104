/** The hosted management API: networks, identities and organizations, for machines with an access token of their provider. */
import type { ControllerContext } from '../controller-context.ts'
import type { Route } from '../pipeline/route.ts'
import { apiAccountRoutes } from './api-accounts.ts'
import { hostedIdentityRoutes } from './identities.ts'
import { identityProviderRoutes } from './identity-providers.ts'
import { networkRoutes } from './networks.ts'
import { organizationRoutes } from './organizations.ts'
import { roleRoutes } from './roles.ts'

export function hostedRoutes(context: ControllerContext): Route[] {
  return [
    ...networkRoutes(context),
    ...hostedIdentityRoutes(context),
    ...apiAccountRoutes(context),
    ...identityProviderRoutes(context),
    ...organizationRoutes(context),
    ...roleRoutes(context),
  ]
}
