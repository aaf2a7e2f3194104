import type { CredentialMembers } from '../credentials/parse-credentials.ts'
import type { AccountSettings, NetworkSettings, OrganizationSettings, ProviderSettings } from '../wire-types.ts'

/** An instant of the identity service. */
export interface EpochTime {
  readonly epochSecond: number
  readonly nano: number
}

/** A network as both versions of the core service show it. */
export interface Network extends Omit<NetworkSettings, 'controllerUrl'> {
  readonly id: string
  readonly status: string
  readonly organizationId: string
  readonly productVersion: string
  /** Whether it is the network of the controller that answers. */
  readonly isLocal?: boolean
  /** As it was set; null for the network of the controller that answers. */
  readonly controllerUrl?: NetworkSettings['controllerUrl']
  /** Null where nobody has said yet where the controller is. */
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

/** A session of a network's controller, in exchange for an access token. */
export interface ExchangedSession {
  readonly type: 'session'
  /** What goes into `zt-session`. */
  readonly value: string
  readonly networkControllerUrl: string
  readonly expiresAt?: string
}

/** Who calls, or somebody else of the organization: an API account, or a person. */
export interface HostedIdentity {
  readonly id: string
  readonly organizationId: string
  readonly tenantId: string
  readonly type: 'ApiAccountIdentity' | 'UserIdentity' | (string & {})
  readonly name: string
  readonly email: string
  readonly active: boolean
  readonly role: 'admin' | 'read-only'
  readonly createdAt: EpochTime | null
  readonly updatedAt: EpochTime | null
  readonly deletedAt: EpochTime | null
}

export interface Account extends HostedIdentity, AccountSettings {
  readonly identityProviderId: string
  readonly clientId: string | null
  readonly authenticationUrl: string | null
  readonly auth0ClientId: string | null
  readonly awsCognitoClientId: string | null
}

/** An account as it was just made or rotated: its password is in this answer and in no later one. */
export interface AccountWithCredentials extends Account {
  /** Absent for a client that exists at the provider already: its password is known there. */
  readonly credentials?: Required<Pick<CredentialMembers, 'clientId' | 'authenticationUrl'>> & {
    readonly password: string
  }
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
