import type { CredentialMembers } from '../credentials/parse-credentials.ts'
import type { AccountSettings, NetworkSettings, OrganizationSettings, ProviderSettings } from '../wire-types.ts'

/** A timestamp of the identity service. */
export interface EpochTime {
  readonly epochSecond: number
  readonly nano: number
}

/** A network, the same in both versions of the core service. */
export interface Network extends Omit<NetworkSettings, 'controllerUrl'> {
  readonly id: string
  readonly status: string
  readonly organizationId: string
  readonly productVersion: string
  /** Whether it is this controller's own network. */
  readonly isLocal?: boolean
  /** Null for this controller's own network. */
  readonly controllerUrl?: NetworkSettings['controllerUrl']
  /** Null until the controller's address is set. */
  readonly networkController: {
    readonly id: string
    readonly status: string
    readonly domainName?: string
    readonly port?: number
  } | null
  readonly ownerIdentityId: string
  readonly createdBy: string
  readonly createdAt: string
  readonly updatedAt: string
  readonly deletedAt: string | null
  readonly deletedBy: string | null
}

export interface NetworkGroup {
  readonly id: string
  readonly name: string
  readonly shortName: string
  readonly organizationId: string
  readonly createdAt: string
  readonly updatedAt: string
}

/** A session of a network's controller, issued in exchange for an access token. */
export interface ExchangedSession {
  readonly type: 'session'
  /** The value of the `zt-session` header. */
  readonly value: string
  readonly networkControllerUrl: string
  readonly expiresAt?: string
}

/** An API account or a person of the organization. */
export interface HostedIdentity {
  readonly id: string
  readonly organizationId: string
  readonly tenantId: string
  readonly type: 'ApiAccountIdentity' | 'UserIdentity' | (string & {})
  readonly name: string
  readonly email: string
  readonly active: boolean
  readonly role: AccountSettings['role']
  readonly createdAt: EpochTime | null
  readonly updatedAt: EpochTime | null
  readonly deletedAt: EpochTime | null
}

export interface Account extends HostedIdentity, AccountSettings {
  readonly kind: 'client' | 'federated'
  readonly identityProviderId: string
  readonly clientId: string | null
  readonly authenticationUrl: string | null
  readonly auth0ClientId: string | null
  readonly awsCognitoClientId: string | null
  readonly rotatedAt: EpochTime
  /** When the credentials are rotated by plan. */
  readonly rotatesAt: EpochTime | null
  /** Until when new credentials wait for being picked up. */
  readonly pickUpUntil: EpochTime | null
}

/** The response to `create` and `rotate`: the only one that contains the password. */
export interface AccountWithCredentials extends Account {
  /** Absent for a client that already exists at the provider. */
  readonly credentials?: Required<Pick<CredentialMembers, 'clientId' | 'authenticationUrl'>> & {
    readonly password: string
  }
}

/** A role of API accounts, with what it permits. */
export interface Role {
  readonly id: string
  readonly code: string
  readonly name: string
  readonly description: string
  /** The value of an account's `role`. */
  readonly role: AccountSettings['role']
  /** What it permits at the hosted API, as `resource.action`. */
  readonly permissions: readonly string[]
  /** The permissions of a session that `exchange` gives; `admin` stands for all of them. */
  readonly sessionPermissions: readonly string[]
}

export interface IdentityProvider extends ProviderSettings {
  readonly id: string
  readonly organizationId: string
  readonly hasRegistrationToken: boolean
  readonly createdAt: EpochTime
  readonly updatedAt: EpochTime
}

export interface Organization extends OrganizationSettings {
  readonly id: string
  readonly identityProviders: readonly { readonly id: string; readonly name: string; readonly active: boolean }[]
  readonly createdAt: EpochTime
  readonly updatedAt: EpochTime
}

/** Quotas of an organization, or what it has of them. */
export interface QuotaNumbers {
  readonly networks: number
  readonly accounts: number
  readonly providers: number
  readonly clientsPerAccount: number
}

/** An organization as the operator of the controller sees it. */
export interface OperatorOrganization {
  readonly id: string
  readonly label: string
  readonly name: string
  /** False while it is suspended. */
  readonly active: boolean
  /** The audience of tokens for its federated accounts. */
  readonly audience: string
  /** Whether it owns the controller. */
  readonly isOperator: boolean
  readonly suspension: { readonly at: EpochTime; readonly reason: string | null } | null
  readonly usage: {
    readonly networks: number
    readonly accounts: number
    readonly providers: number
    readonly clients: number
    /** When one of its accounts last used the API, to within an hour; null when that is not known. */
    readonly lastUsedAt: EpochTime | null
  }
  readonly quotas: QuotaNumbers
  readonly createdAt: EpochTime
  readonly updatedAt: EpochTime
}

/** The quotas that are set, null for the default, and those that apply. */
export type OrganizationQuotas = { readonly [Name in keyof QuotaNumbers]: QuotaNumbers[Name] | null } & {
  readonly effective: QuotaNumbers
}

/** A change of a record of an organization, or an accepted or refused token of one of its accounts. */
export interface AuditEvent {
  readonly id: string
  readonly at: string
  /** Such as `network.created` or `token.refused`. */
  readonly type: string
  /** Null for a token that names no account. */
  readonly actor: {
    readonly type: 'api-account' | 'user' | 'operator' | 'system'
    readonly id: string | null
    readonly name: string | null
  } | null
  readonly target: { readonly type: string; readonly id: string; readonly name: string | null } | null
  /** The names of the members that were changed. */
  readonly changed: readonly string[]
  readonly address: string | null
  /** Why a token was refused. */
  readonly reason: string | null
  /** The `traceId` in the response to a token. */
  readonly traceId: string | null
}
