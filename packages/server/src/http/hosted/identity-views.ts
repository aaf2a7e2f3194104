import type { AccountSettings, OrganizationSettings, ProviderSettings } from '@countersign/contract'
import {
  administrationSecret,
  hostedIdentityId,
  organizationAudience,
  poolIdOf,
  registrationUrlOf,
} from '@countersign/core'
import { accountSettings } from '../../store/hosted-rows.ts'
import type { OrganizationRow } from '../../store/hosted-schema.ts'
import { hasAccess } from '../../store/identity-row.ts'
import { readJsonColumn } from '../../store/json-column.ts'
import type { StoredProvider } from '../../store/provider-row.ts'
import type { AccountWithClient } from '../../store/reads/account-reads.ts'
import type { AdministratorRow } from '../../store/reads/administrator-reads.ts'
import { timestamp } from '../pipeline/envelope.ts'
import type { Shown } from '../shared/member-view.ts'
import { epochTime } from './hal.ts'

/** The members of `accountView` that bodies may repeat, and the credentials that the response to a POST adds. */
export const ACCOUNT_READ_ONLY = [
  ...['id', 'organizationId', 'tenantId', 'type', 'email', 'auth0ClientId', 'awsCognitoClientId', 'identityProviderId'],
  ...['clientId', 'authenticationUrl', 'createdAt', 'updatedAt', 'deletedAt', 'credentials'],
  ...['rotatedAt', 'rotatesAt', 'pickUpUntil'],
  ...['kind', 'lastUsedAt', 'lastUsedFrom'],
]
/** The members of `providerView` that bodies may repeat. */
export const PROVIDER_READ_ONLY = ['id', 'organizationId', 'hasRegistrationToken', 'createdAt', 'updatedAt']
/** The members of `organizationView` that bodies may repeat. */
export const ORGANIZATION_READ_ONLY = [
  ...['id', 'active', 'deleted', 'mfaProvider', 'identityProviders', 'createdAt', 'updatedAt', 'deletedAt'],
  'audience',
]

/** An API account in the form of the identity service. The members of single providers are kept for existing clients. */
export function accountView({ account, provider, clientId, pickUpUntil, lastUse }: AccountWithClient) {
  const { conditions, expiresAt } = accountSettings(account)
  const hasClients = account.kind === 'client'
  return {
    id: account.id,
    organizationId: account.organization_id,
    tenantId: account.organization_id,
    type: 'ApiAccountIdentity',
    name: account.name,
    email: account.contact_email ?? '',
    contactEmail: account.contact_email,
    description: account.description,
    active: Boolean(account.active),
    role: account.role,
    rotation: account.rotation === null ? null : readJsonColumn(account.rotation),
    rotatedAt: epochTime(account.rotated_at),
    rotatesAt: account.rotates_at === null ? null : epochTime(account.rotates_at),
    pickUpUntil: pickUpUntil === null ? null : epochTime(pickUpUntil),
    auth0ClientId: provider.kind === 'auth0' ? clientId : null,
    awsCognitoClientId: hasClients && provider.kind === 'cognito' ? `${poolIdOf(provider.issuer)}|${clientId}` : null,
    identityProviderId: provider.id,
    clientId,
    authenticationUrl: hasClients ? provider.tokenUrl : null,
    createdAt: epochTime(account.created_at),
    updatedAt: epochTime(account.updated_at),
    deletedAt: null,
    kind: account.kind,
    conditions,
    expiresAt: timeOrNull(expiresAt),
    lastUsedAt: timeOrNull(lastUse.at),
    lastUsedFrom: lastUse.from,
  } satisfies Shown<AccountSettings>
}

function timeOrNull(at: number | null): string | null {
  return at === null ? null : timestamp(at)
}

/** An administrator of this controller as a user identity of the organization that owns it. */
export function administratorView(administrator: AdministratorRow, organizationId: string, now: number) {
  const { id, name, createdAt, updatedAt } = administrator
  return {
    id: hostedIdentityId(id),
    organizationId,
    tenantId: organizationId,
    type: 'UserIdentity',
    name,
    email: name.includes('@') ? name : '',
    // Member order matters: existing clients put accounts and users into one table by position.
    description: null,
    active: hasAccess(administrator, now),
    role: 'admin',
    createdAt: epochTime(createdAt),
    updatedAt: epochTime(updatedAt),
    deletedAt: null,
  }
}

export function providerView(provider: StoredProvider) {
  const {
    administration,
    administrationSecret: sealed,
    enabled,
    revision: _,
    createdAt,
    updatedAt,
    ...members
  } = provider
  const secret = administration ? administrationSecret(administration.kind) : undefined
  return {
    ...members,
    registrationUrl: registrationUrlOf(administration),
    administration: administration && { ...administration, ...(secret && { [`${secret}Set`]: sealed !== null }) },
    enabled,
    hasRegistrationToken: (administration?.kind ?? 'rfc7591') === 'rfc7591' && sealed !== null,
    createdAt: epochTime(createdAt),
    updatedAt: epochTime(updatedAt),
  } satisfies Shown<ProviderSettings>
}

export function organizationView(row: OrganizationRow, providers: readonly StoredProvider[]) {
  return {
    id: row.id,
    label: row.label,
    name: row.name,
    active: Boolean(row.active),
    deleted: false,
    mfaProvider: 'None',
    audience: organizationAudience(row.id),
    identityProviders: providers.map(({ id, organizationId, name, enabled, createdAt, updatedAt }) => ({
      id,
      organizationId,
      name,
      active: enabled,
      createdAt: epochTime(createdAt),
      updatedAt: epochTime(updatedAt),
      deletedAt: null,
    })),
    createdAt: epochTime(row.created_at),
    updatedAt: epochTime(row.updated_at),
    deletedAt: null,
  } satisfies Shown<OrganizationSettings>
}
