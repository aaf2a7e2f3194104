/** The members of the server's answers that the pages show. */

export interface KeyStatus {
  readonly source: 'certificate' | 'jwks'
  readonly keys: readonly { readonly kid: string; readonly alg: string; readonly thumbprint: string }[]
  readonly lastSuccessAt: string | null
  readonly lastError: string | null
  readonly nextRefreshAt: string | null
  readonly stale: boolean
  readonly warnings: readonly string[]
}

export interface Signer {
  readonly id: string
  readonly createdAt: string
  readonly updatedAt: string
  readonly name: string
  readonly enabled: boolean
  readonly issuer: string
  readonly audience: string
  readonly jwksEndpoint: string | null
  readonly certPem: string | null
  readonly kid: string | null
  readonly fingerprint: string | null
  readonly commonName: string
  readonly notBefore: string
  readonly notAfter: string
  readonly claimsProperty: string
  readonly useExternalId: boolean
  readonly externalAuthUrl: string | null
  readonly openIdConfigurationUrl: string | null
  readonly clientId: string | null
  readonly scopes: readonly string[] | null
  readonly targetToken: 'ACCESS' | 'ID'
  readonly enrollToCertEnabled: boolean
  readonly enrollToTokenEnabled: boolean
  readonly enrollAttributeClaimsSelector: string | null
  readonly enrollNameClaimsSelector: string
  readonly enrollAuthPolicyId: string | null
  readonly clockSkewSeconds: number
  readonly maxTokenAgeSeconds: number | null
  readonly keyStatus?: KeyStatus
}

export interface ClientSigner {
  readonly id: string
  readonly name: string
  readonly openIdConfigurationUrl: string | null
  readonly clientId: string | null
}

export interface DiscoveredSigner {
  readonly issuer: string
  readonly jwksEndpoint: string
  readonly openIdConfigurationUrl: string
  readonly scopes?: readonly string[]
}

export interface Check {
  readonly check: string
  readonly expected: unknown
  readonly received: unknown
  readonly pass: boolean
}

export interface Explanation {
  readonly signers: readonly {
    readonly signerId: string
    readonly checks: readonly Check[]
    readonly reason: string | null
  }[]
  readonly identity: { readonly id: string; readonly name: string; readonly disabled: boolean } | null
  readonly policy: { readonly id: string; readonly name: string } | null
  readonly missing: readonly string[]
  readonly hints: readonly string[]
}

export interface Decision extends Explanation {
  readonly id: string
  readonly at: string
  readonly method: string
  readonly reason: string
  readonly signerId: string | null
  readonly identityId: string | null
  readonly remoteAddress: string
}

export interface Policy {
  readonly id: string
  readonly name: string
  readonly primary: {
    readonly cert: { readonly allowed: boolean; readonly allowExpiredCerts: boolean }
    readonly extJwt: { readonly allowed: boolean; readonly allowedSigners: readonly string[] }
    readonly updb: {
      readonly allowed: boolean
      readonly minPasswordLength: number
      readonly requireSpecialChar: boolean
      readonly requireNumberChar: boolean
      readonly requireMixedCase: boolean
      readonly maxAttempts: number
      readonly lockoutDurationMinutes: number
    }
  }
  readonly secondary: { readonly requireTotp: boolean; readonly requireExtJwtSigner?: string }
}

interface EntityRef {
  readonly id: string
  readonly name: string
}

export interface Identity {
  readonly id: string
  readonly createdAt: string
  readonly name: string
  readonly typeId: string
  readonly isAdmin: boolean
  readonly isDefaultAdmin: boolean
  readonly isMfaEnabled: boolean
  readonly externalId: string | null
  readonly attributes: readonly string[]
  readonly authPolicyId: string
  readonly authPolicy: EntityRef
  readonly disabled: boolean
  readonly disabledUntil?: string
  readonly permissions: readonly string[] | null
  readonly hasApiSession: boolean
}

export interface Authenticator {
  readonly id: string
  readonly createdAt: string
  readonly method: 'updb' | 'cert'
  readonly username?: string
  readonly fingerprint?: string
}

export interface Enrollment {
  readonly id: string
  readonly method: string
  readonly jwt?: string
  readonly username?: string
  readonly expiresAt: string
}

export interface ApiSession {
  readonly id: string
  readonly createdAt: string
  readonly identity: EntityRef
  readonly identityId: string
  readonly ipAddress: string
  readonly lastActivityAt: string
  readonly authQueries: readonly { readonly typeId: string; readonly id?: string }[]
}

export interface Network {
  readonly id: string
  readonly name: string
  readonly status: string
  readonly size: string | null
  readonly provider: string | null
  readonly region: string | null
  readonly networkController: { readonly domainName: string; readonly port: number } | null
  readonly createdAt: string
}

export type ProviderKind = 'cognito' | 'auth0' | 'oidc'

export interface Provider {
  readonly id: string
  readonly name: string
  readonly kind: ProviderKind
  readonly issuer: string
  readonly audience: string | null
  readonly clientIdClaim: string | null
  readonly requiredScope: string | null
  readonly jwksUri: string | null
  readonly tokenUrl: string | null
  readonly registrationUrl: string | null
  readonly hasRegistrationToken: boolean
  readonly enabled: boolean
}

export interface Account {
  readonly id: string
  readonly name: string
  readonly contactEmail: string | null
  readonly description: string | null
  readonly active: boolean
  readonly role: 'admin' | 'read-only'
  readonly identityProviderId: string
  readonly clientId: string | null
  readonly authenticationUrl: string | null
}

/** The credentials file: exactly these three members. */
export interface Credentials {
  readonly clientId: string
  readonly password: string
  readonly authenticationUrl: string
}
