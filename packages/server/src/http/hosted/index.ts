/** The hosted management API: networks, identities and organizations, for callers with an access token of their identity provider. */
import type { Route } from '../pipeline/route.ts'
import { accountJobRoutes } from './account-jobs.ts'
import { accountTokenRoutes } from './account-token.ts'
import { apiAccountRoutes } from './api-accounts.ts'
import { auditEventRoutes } from './audit-events.ts'
import { hostedIdentityRoutes } from './identities.ts'
import { identityProviderRoutes } from './identity-providers.ts'
import { networkRoutes } from './networks.ts'
import { operatorRoutes } from './operator.ts'
import { organizationRoutes } from './organizations.ts'
import { roleRoutes } from './roles.ts'

type HostedRouteParts = Parameters<typeof networkRoutes>[0] &
  Parameters<typeof hostedIdentityRoutes>[0] &
  Parameters<typeof accountTokenRoutes>[0] &
  Parameters<typeof apiAccountRoutes>[0] &
  Parameters<typeof accountJobRoutes>[0] &
  Parameters<typeof identityProviderRoutes>[0] &
  Parameters<typeof organizationRoutes>[0] &
  Parameters<typeof operatorRoutes>[0] &
  Parameters<typeof auditEventRoutes>[0] &
  Parameters<typeof roleRoutes>[0]

export function hostedRoutes(parts: HostedRouteParts): Route[] {
  return [
    ...networkRoutes(parts),
    ...hostedIdentityRoutes(parts),
    ...apiAccountRoutes(parts),
    ...accountJobRoutes(parts),
    ...accountTokenRoutes(parts),
    ...identityProviderRoutes(parts),
    ...organizationRoutes(parts),
    ...operatorRoutes(parts),
    ...auditEventRoutes(parts),
    ...roleRoutes(parts),
  ]
}
