import type { IntersectionOf } from '../platform/intersection-of.ts'
import { certificateRenewalRoutes } from './client/certificate-renewal.ts'
import { enrollRoutes } from './client/enroll.ts'
import { enrollTokenRoutes } from './client/enroll-token.ts'
import { clientExtJwtSignerRoutes } from './client/ext-jwt-signers.ts'
import { overlayRoutes } from './client/overlay.ts'
import { providerChannelRoutes } from './client/provider-channels.ts'
import { revocationListRoutes } from './client/revocation-list.ts'
import { sessionCertificateRoutes } from './client/session-certificates.ts'
import { consoleLoginRoutes } from './console/console-login.ts'
import { consolePageRoutes } from './console/console-pages.ts'
import { consoleSessionRoutes } from './console/console-session.ts'
import { hostedRoutes } from './hosted/index.ts'
import { apiSessionRoutes } from './management/api-sessions.ts'
import { auditRoutes } from './management/audit.ts'
import { authDecisionRoutes } from './management/auth-decisions.ts'
import { authPolicyRoutes } from './management/auth-policies.ts'
import { authenticatorRoutes } from './management/authenticators.ts'
import { caRoutes } from './management/cas.ts'
import { enrollmentRoutes } from './management/enrollments.ts'
import { eventSinkRoutes } from './management/event-sinks.ts'
import { eventRoutes } from './management/events.ts'
import { extJwtSignerActionRoutes } from './management/ext-jwt-signer-actions.ts'
import { extJwtSignerRoutes } from './management/ext-jwt-signers.ts'
import { identityRoutes } from './management/identities.ts'
import { identityMfaRoutes } from './management/identity-mfa.ts'
import { identityPasskeyRoutes } from './management/identity-passkeys.ts'
import { identityRelationRoutes } from './management/identity-relations.ts'
import { identityRoleAttributeRoutes } from './management/identity-role-attributes.ts'
import { identityTypeRoutes } from './management/identity-types.ts'
import { managementOverlayRoutes } from './management/overlay.ts'
import { renewalRequestRoutes } from './management/renewal-requests.ts'
import { revocationRoutes } from './management/revocations.ts'
import { scimTokenRoutes } from './management/scim-tokens.ts'
import { summaryRoutes } from './management/summary.ts'
import { whatIfRoutes } from './management/what-if.ts'
import { oidcRoutes } from './oidc/index.ts'
import { createApiDocuments } from './openapi/api-documents.ts'
import { referenceRoutes } from './openapi/reference-routes.ts'
import { specRoutes } from './openapi/spec-routes.ts'
import type { Route } from './pipeline/route.ts'
import { scimRoutes } from './scim/index.ts'
import { authenticateRoutes } from './shared/authenticate.ts'
import { controllerRoutes } from './shared/controllers.ts'
import { currentIdentityRoutes } from './shared/current-identity.ts'
import { currentIdentityLoginRoutes } from './shared/current-identity-logins.ts'
import { currentIdentityMfaRoutes } from './shared/current-identity-mfa.ts'
import { currentSessionRoutes } from './shared/current-session.ts'
import { healthCheckRoutes } from './shared/health-checks.ts'
import { informationRoutes } from './shared/information.ts'
import { passkeyRoutes } from './shared/passkeys.ts'

/** The functions that build the route rows, one per file. Each takes the parts that it needs. */
const ROUTE_FUNCTIONS = [
  informationRoutes,
  healthCheckRoutes,
  controllerRoutes,
  overlayRoutes,
  consolePageRoutes,
  consoleSessionRoutes,
  consoleLoginRoutes,
  hostedRoutes,
  oidcRoutes,
  authenticateRoutes,
  currentSessionRoutes,
  sessionCertificateRoutes,
  clientExtJwtSignerRoutes,
  enrollTokenRoutes,
  providerChannelRoutes,
  extJwtSignerRoutes,
  extJwtSignerActionRoutes,
  scimTokenRoutes,
  scimRoutes,
  authPolicyRoutes,
  caRoutes,
  authDecisionRoutes,
  eventRoutes,
  eventSinkRoutes,
  auditRoutes,
  identityRoutes,
  identityRelationRoutes,
  identityRoleAttributeRoutes,
  identityTypeRoutes,
  managementOverlayRoutes,
  summaryRoutes,
  authenticatorRoutes,
  renewalRequestRoutes,
  certificateRenewalRoutes,
  revocationListRoutes,
  enrollmentRoutes,
  enrollRoutes,
  apiSessionRoutes,
  revocationRoutes,
  currentIdentityRoutes,
  currentIdentityLoginRoutes,
  currentIdentityMfaRoutes,
  identityMfaRoutes,
  passkeyRoutes,
  identityPasskeyRoutes,
  whatIfRoutes,
] as const

/** The parts that all route functions need together. */
export type RouteParts = IntersectionOf<
  Exclude<Parameters<(typeof ROUTE_FUNCTIONS)[number] | typeof specRoutes>[0], undefined>
>

export function buildRoutes(parts: RouteParts): Route[] {
  const documents = createApiDocuments(() => routes)
  const routes: Route[] = [
    ...ROUTE_FUNCTIONS.flatMap((build) => build(parts)),
    ...specRoutes(parts, documents),
    ...referenceRoutes(documents),
  ]
  return routes
}
