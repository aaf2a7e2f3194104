import type { IdentitySettings } from '@countersign/contract'
import { attributeOrigins } from '@countersign/core'
import type { StoredAuthPolicy } from '../../store/auth-policy-row.ts'
import { isDisabled, type StoredIdentity } from '../../store/identity-row.ts'
import type { IdentityLogins } from '../../store/reads/identity-reads.ts'
import { entityReference, timestamp } from '../pipeline/envelope.ts'
import type { Shown } from './member-view.ts'

/** Written out, not built in a loop: a literal is several times faster, and lists show many identities. */
function identityLinks({ id, authPolicyId }: IdentityName) {
  const self = `./identities/${id}`
  return {
    'auth-policies': { href: `./auth-policies/${authPolicyId}` },
    authenticators: { href: `${self}/authenticators` },
    'edge-router-policies': { href: `${self}/edge-router-policies` },
    'edge-routers': { href: `${self}/edge-routers` },
    enrollments: { href: `${self}/enrollments` },
    'failed-service-requests': { href: `${self}/failed-service-requests` },
    'posture-data': { href: `${self}/posture-data` },
    'service-configs': { href: `${self}/service-configs` },
    'service-policies': { href: `${self}/service-policies` },
    services: { href: `${self}/services` },
    self: { href: self },
  }
}

export type IdentityName = Pick<StoredIdentity, 'id' | 'name' | 'authPolicyId'>

/** An identity as a member of another entity. */
export function identityReference(identity: IdentityName) {
  return { ...entityReference('identities', identity.id, identity.name), _links: identityLinks(identity) }
}

/** Members of the view that are stored in other tables. */
export interface IdentitySurroundings {
  readonly policy: Pick<StoredAuthPolicy, 'id' | 'name'>
  readonly authenticators: Readonly<Record<string, unknown>>
  /** Empty for callers without the permission to see enrollments. */
  readonly enrollment?: Readonly<Record<string, unknown>>
  readonly logins: IdentityLogins
  readonly now: number
}

export function identityView(
  identity: StoredIdentity,
  { policy, authenticators, enrollment = {}, logins, now }: IdentitySurroundings,
) {
  const { disabledAt, disabledUntil, expiresAt, permissions } = identity
  const { lastLoginAt, lastLoginMethod } = logins
  return {
    _links: identityLinks(identity),
    id: identity.id,
    createdAt: timestamp(identity.createdAt),
    updatedAt: timestamp(identity.updatedAt),
    tags: identity.tags,
    name: identity.name,
    type: entityReference('identity-types', identity.typeId, identity.typeId),
    typeId: identity.typeId,
    isAdmin: identity.isAdmin,
    isDefaultAdmin: identity.isDefaultAdmin,
    isMfaEnabled: identity.verifiedTotpId !== null,
    externalId: identity.externalId,
    attributes: identity.attributes,
    roleAttributes: identity.attributes,
    attributeOrigins: attributeOrigins(identity),
    authPolicyId: identity.authPolicyId,
    authPolicy: entityReference('auth-policies', policy.id, policy.name),
    disabled: isDisabled(identity, now),
    ...(disabledAt !== null && { disabledAt: timestamp(disabledAt) }),
    ...(disabledUntil !== null && { disabledUntil: timestamp(disabledUntil) }),
    expiresAt: expiresAt === null ? null : timestamp(expiresAt),
    lastLoginAt: lastLoginAt === null ? null : timestamp(lastLoginAt),
    lastLoginMethod,
    linkedSigners: identity.linkedSigners,
    authenticators,
    enrollment,
    envInfo: identity.envInfo,
    sdkInfo: identity.sdkInfo,
    appData: identity.appData,
    interfaces: null,
    permissions: permissions.length > 0 ? permissions : null,
    defaultHostingCost: identity.defaultHostingCost,
    defaultHostingPrecedence: identity.defaultHostingPrecedence,
    serviceHostingCosts: identity.serviceHostingCosts,
    serviceHostingPrecedences: identity.serviceHostingPrecedences,
    edgeRouterConnectionStatus: 'offline',
    hasApiSession: logins.hasApiSession,
    hasEdgeRouterConnection: false,
  } satisfies Shown<IdentitySettings>
}
