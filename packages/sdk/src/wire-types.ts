/** Types of requests and responses. Generated from the contract by `npm run generate`; do not edit. */

/** The error codes of a controller. */
export type ErrorCode =
  | 'NOT_FOUND'
  | 'METHOD_NOT_ALLOWED'
  | 'UNAUTHORIZED'
  | 'FORBIDDEN'
  | 'INVALID_AUTH'
  | 'COULD_NOT_VALIDATE'
  | 'COULD_NOT_PARSE_BODY'
  | 'COULD_NOT_READ_BODY'
  | 'REQUEST_ENTITY_TOO_LARGE'
  | 'REQUEST_HEADERS_TOO_LARGE'
  | 'BAD_REQUEST'
  | 'REQUEST_TIMEOUT'
  | 'INVALID_FIELD'
  | 'INVALID_FILTER'
  | 'INVALID_SORT_IDENTIFIER'
  | 'INVALID_PAGINATION'
  | 'INVALID_CERT_PEM'
  | 'COULD_NOT_PROCESS_CSR'
  | 'CA_UNAVAILABLE'
  | 'INVALID_AUTH_METHOD'
  | 'CAN_NOT_DELETE_REFERENCED_ENTITY'
  | 'ENTITY_CAN_NOT_BE_DELETED'
  | 'ENTITY_CAN_NOT_BE_UPDATED'
  | 'MAX_AUTHENTICATOR_METHODS_REACHED'
  | 'CAN_NOT_UPDATE_AUTHENTICATOR'
  | 'INVALID_CLIENT_CERT'
  | 'CERT_IN_USE'
  | 'INVALID_AUTHENTICATOR_PROPERTIES'
  | 'MISSING_OR_INVALID_CSR'
  | 'INVALID_ENROLLMENT_TOKEN'
  | 'INVALID_EVENT_TOKEN'
  | 'INVALID_ENROLLMENT_NOT_ALLOWED'
  | 'ENROLLMENT_IDENTITY_ALREADY_ENROLLED'
  | 'NOT_UNIQUE'
  | 'SCIM_TOKEN_LIMIT'
  | 'PRECONDITION_FAILED'
  | 'PRECONDITION_REQUIRED'
  | 'PUSHED_KEYS_NOT_TAKEN'
  | 'NO_PENDING_KEYS'
  | 'PASSKEY_INVALID'
  | 'PASSKEY_EXISTS'
  | 'PASSKEY_LIMIT_REACHED'
  | 'PASSKEY_UNAVAILABLE'
  | 'FRESH_LOGIN_REQUIRED'
  | 'TRUSTED_LOGIN_REQUIRED'
  | 'MFA_EXISTS'
  | 'MFA_NOT_ENROLLED'
  | 'MFA_INVALID_TOKEN'
  | 'INVALID TOTP CODE'
  | 'UNSUPPORTED_MEDIA_TYPE'
  | 'INVALID_BACKING_TOKEN_TYPE'
  | 'CA_ALREADY_VERIFIED'
  | 'EXPECTED_PEM_CERTIFICATE'
  | 'COULD_NOT_PARSE_DER_BLOCK'
  | 'INVALID_COMMON_NAME'
  | 'CERTIFICATE_FAILED_VALIDATION'
  | 'CERT_FAILED_VALIDATION'
  | 'ENROLLMENT_NO_VALID_CAS'
  | 'ENROLLMENT_CA_NOT_VALID'
  | 'MISSING_CERT_CLAIM'
  | 'ENROLLMENT_EXPIRED'
  | 'INVALID_ENROLL_METHOD'
  | 'ENROLLMENT_EXISTS'
  | 'UNSUPPORTED_MEDIA'
  | 'LAST_ADMINISTRATOR'
  | 'WOULD_LOCK_OUT'
  | 'TEST_CASE_FAILED'
  | 'SERVER_TOO_MANY_REQUESTS'
  | 'NOT_IMPLEMENTED'
  | 'PROVIDER_FAILED'
  | 'NOT_THIS_CONTROLLER'
  | 'TIMEOUT'
  | 'STORE_UNAVAILABLE'
  | 'SEALING_KEY_MISMATCH'
  | 'UNHANDLED'

/** The permissions of an identity. */
export type Permission =
  | 'admin_readonly'
  | 'revocation'
  | 'external-jwt-signer.push-keys'
  | 'ops'
  | 'ops.read'
  | 'ops.update'
  | 'ops.delete'
  | 'auth-policy'
  | 'auth-policy.create'
  | 'auth-policy.read'
  | 'auth-policy.update'
  | 'auth-policy.delete'
  | 'ca'
  | 'ca.create'
  | 'ca.read'
  | 'ca.update'
  | 'ca.delete'
  | 'config'
  | 'config.create'
  | 'config.read'
  | 'config.update'
  | 'config.delete'
  | 'config-type'
  | 'config-type.create'
  | 'config-type.read'
  | 'config-type.update'
  | 'config-type.delete'
  | 'edge-router-policy'
  | 'edge-router-policy.create'
  | 'edge-router-policy.read'
  | 'edge-router-policy.update'
  | 'edge-router-policy.delete'
  | 'enrollment'
  | 'enrollment.create'
  | 'enrollment.read'
  | 'enrollment.update'
  | 'enrollment.delete'
  | 'external-jwt-signer'
  | 'external-jwt-signer.create'
  | 'external-jwt-signer.read'
  | 'external-jwt-signer.update'
  | 'external-jwt-signer.delete'
  | 'identity'
  | 'identity.create'
  | 'identity.read'
  | 'identity.update'
  | 'identity.delete'
  | 'posture-check'
  | 'posture-check.create'
  | 'posture-check.read'
  | 'posture-check.update'
  | 'posture-check.delete'
  | 'router'
  | 'router.create'
  | 'router.read'
  | 'router.update'
  | 'router.delete'
  | 'service'
  | 'service.create'
  | 'service.read'
  | 'service.update'
  | 'service.delete'
  | 'service-edge-router-policy'
  | 'service-edge-router-policy.create'
  | 'service-edge-router-policy.read'
  | 'service-edge-router-policy.update'
  | 'service-edge-router-policy.delete'
  | 'service-policy'
  | 'service-policy.create'
  | 'service-policy.read'
  | 'service-policy.update'
  | 'service-policy.delete'
  | 'terminator'
  | 'terminator.create'
  | 'terminator.read'
  | 'terminator.update'
  | 'terminator.delete'

export interface Signer {
  readonly _links: Readonly<
    Record<
      string,
      {
        readonly href: string
      }
    >
  >
  readonly id: string
  readonly createdAt: string
  readonly updatedAt: string
  readonly tags: Readonly<Record<string, string | number | boolean | null>>
  readonly name: string
  readonly enabled: boolean
  readonly issuer: string
  readonly audience: string
  readonly additionalAudiences: readonly string[]
  readonly jwksEndpoint: string | null
  readonly jwksCaPem: string | null
  readonly certPem: string | null
  readonly kid: string | null
  readonly fingerprint: string | null
  readonly commonName: string
  readonly notBefore: string
  readonly notAfter: string
  readonly jwks: {
    readonly keys: readonly Readonly<Record<string, unknown>>[]
  } | null
  readonly certPems: readonly string[] | null
  readonly pushedKeys: {
    readonly maxAgeSeconds: number
  } | null
  readonly jwksAuthorizationSet: boolean
  readonly pinnedKeyThumbprints: readonly string[]
  readonly requireKeyContinuity: boolean
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
  readonly enrollAuthPolicyId: string | null
  readonly enrollNameClaimsSelector: string
  readonly attributeSync: 'enrollment' | 'login'
  readonly nameSync: boolean
  readonly provisionOnLogin: boolean
  readonly reprovisionAfterMinutes: number
  readonly clockSkewSeconds: number
  readonly maxTokenAgeSeconds: number | null
  readonly requiredClaims: Readonly<
    Record<
      string,
      | string
      | readonly string[]
      | {
          readonly glob: string
        }
    >
  > | null
  readonly testCases: readonly {
    readonly name: string
    readonly claims: Readonly<Record<string, unknown>>
    readonly header?: Readonly<Record<string, unknown>> | undefined
    readonly now?: string | number | undefined
    readonly expect: {
      readonly outcome: 'accepted' | 'refused'
      readonly check?: string | undefined
      readonly attributes?: readonly string[] | undefined
      readonly externalId?: string | undefined
    }
  }[]
  readonly acceptRule: string | null
  readonly attributeRules: readonly string[]
  readonly requirePossession: 'none' | 'any' | 'dpop' | 'mtls'
  readonly oneUse: boolean
  readonly sharedSignals: {
    readonly audience: string
    readonly issuer?: string | undefined
    readonly jwksUri?: string | undefined
    readonly actions: Readonly<Record<string, 'end-sessions' | 'disable' | 'enable' | 'log'>>
  } | null
  readonly sharedSignalsUrl: string
  readonly backchannelLogoutUrl: string
  readonly scimIdentityAttribute: 'userName' | 'externalId' | 'email'
  readonly scimGroupAttributeTemplate: string
  readonly scimUrl: string
  readonly trust: {
    readonly state: 'trusted' | 'untrusted'
    readonly writtenBy: {
      readonly id: string
      readonly name: string
    } | null
    readonly writtenAt: string
  }
  readonly keyStatus?:
    | {
        readonly source: 'certificate' | 'jwks' | 'static' | 'pushed'
        readonly keys: readonly {
          readonly kid: string
          readonly alg: string
          readonly thumbprint: string
        }[]
        readonly lastSuccessAt: string | null
        readonly lastError: string | null
        readonly nextRefreshAt: string | null
        readonly stale: boolean
        readonly warnings: readonly string[]
        readonly staleAt?: string | null | undefined
        readonly ignoredKeys?:
          | readonly {
              readonly kid: string
              readonly alg: string
              readonly thumbprint: string
            }[]
          | undefined
        readonly pendingKeys?:
          | readonly {
              readonly kid: string
              readonly alg: string
              readonly thumbprint: string
            }[]
          | undefined
      }
    | undefined
}
export interface KeyStatus {
  readonly source: 'certificate' | 'jwks' | 'static' | 'pushed'
  readonly keys: readonly {
    readonly kid: string
    readonly alg: string
    readonly thumbprint: string
  }[]
  readonly lastSuccessAt: string | null
  readonly lastError: string | null
  readonly nextRefreshAt: string | null
  readonly stale: boolean
  readonly warnings: readonly string[]
  readonly staleAt?: string | null | undefined
  readonly ignoredKeys?:
    | readonly {
        readonly kid: string
        readonly alg: string
        readonly thumbprint: string
      }[]
    | undefined
  readonly pendingKeys?:
    | readonly {
        readonly kid: string
        readonly alg: string
        readonly thumbprint: string
      }[]
    | undefined
}
export interface ClientSigner {
  readonly _links: Readonly<
    Record<
      string,
      {
        readonly href: string
      }
    >
  >
  readonly id: string
  readonly createdAt: string
  readonly updatedAt: string
  readonly name: string
  readonly externalAuthUrl: string | null
  readonly openIdConfigurationUrl: string | null
  readonly clientId: string | null
  readonly scopes: string | readonly string[] | null
  readonly audience: string
  readonly targetToken: 'ACCESS' | 'ID'
  readonly enrollToCertEnabled: boolean
  readonly enrollToTokenEnabled: boolean
}
export interface DiscoveredSigner {
  readonly issuer: string
  readonly jwksEndpoint: string
  readonly openIdConfigurationUrl: string
  readonly scopes?: readonly string[] | undefined
}
export interface SignerCertificate {
  readonly commonName: string
  readonly fingerprint: string
  readonly notBefore: string
  readonly notAfter: string
  readonly keyKind: string
  readonly signatureAlgorithm: string
  readonly warnings: readonly string[]
}
export interface Explanation {
  readonly signers: readonly {
    readonly signerId: string
    readonly checks: readonly {
      readonly check: string
      readonly expected: unknown
      readonly received: unknown
      readonly pass: boolean
    }[]
    readonly reason: string | null
  }[]
  readonly identity: {
    readonly id: string
    readonly name: string
    readonly disabled: boolean
    readonly expired?: boolean | undefined
  } | null
  readonly policy: {
    readonly id: string
    readonly name: string
    readonly allowsExtJwt: boolean
    readonly allowsPassword: boolean
    readonly allowsCert: boolean
    readonly allowsPasskey?: boolean | undefined
    readonly requiresTotp: boolean
    readonly requiresPasskey?: boolean | undefined
    readonly requiresExtJwtSigner: string | null
  } | null
  readonly missing: readonly string[]
  readonly hints: readonly string[]
}
export interface AuthDecision {
  readonly id: string
  readonly at: string
  readonly method: string
  readonly reason: string
  readonly signerId: string | null
  readonly signerName?: string | null | undefined
  readonly claimedIdentity?: string | null | undefined
  readonly identityId: string | null
  readonly identityName?: string | null | undefined
  readonly remoteAddress: string
  readonly signers: readonly {
    readonly signerId: string
    readonly checks: readonly {
      readonly check: string
      readonly expected: unknown
      readonly received: unknown
      readonly pass: boolean
    }[]
    readonly reason: string | null
  }[]
  readonly identity: {
    readonly id: string
    readonly name: string
    readonly disabled: boolean
    readonly expired?: boolean | undefined
  } | null
  readonly policy: {
    readonly id: string
    readonly name: string
    readonly allowsExtJwt: boolean
    readonly allowsPassword: boolean
    readonly allowsCert: boolean
    readonly allowsPasskey?: boolean | undefined
    readonly requiresTotp: boolean
    readonly requiresPasskey?: boolean | undefined
    readonly requiresExtJwtSigner: string | null
  } | null
  readonly missing: readonly string[]
  readonly hints: readonly string[]
  readonly testCase?:
    | {
        readonly name: string
        readonly claims: Readonly<Record<string, unknown>>
        readonly header?: Readonly<Record<string, unknown>> | undefined
        readonly now?: string | number | undefined
        readonly expect: {
          readonly outcome: 'accepted' | 'refused'
          readonly check?: string | undefined
          readonly attributes?: readonly string[] | undefined
          readonly externalId?: string | undefined
        }
      }
    | null
    | undefined
}
export interface ScimToken {
  readonly id: string
  readonly createdAt: string
  readonly createdBy: {
    readonly id: string
    readonly name: string
  }
  readonly token?: string | undefined
}
export interface OwnAuthDecision {
  readonly id: string
  readonly at: string
  readonly method: string
  readonly reason: string
  readonly remoteAddress: string
}
export interface OwnLogin {
  readonly id: string
  readonly at: string
  readonly method: string
  readonly signerId: string | null
  readonly remoteAddress: string
}
export interface WhatIfReport {
  readonly evaluated: number
  readonly unchanged: number
  readonly refused: readonly {
    readonly identity: {
      readonly id: string | null
      readonly name: string
    }
    readonly signerId: string | null
    readonly reason: string
    readonly text: string
  }[]
  readonly accepted: readonly {
    readonly identity: {
      readonly id: string | null
      readonly name: string
    }
    readonly signerId: string | null
  }[]
  readonly attributes: readonly {
    readonly identity: {
      readonly id: string | null
      readonly name: string
    }
    readonly added: readonly string[]
    readonly removed: readonly string[]
  }[]
  readonly factors: readonly {
    readonly identity: {
      readonly id: string | null
      readonly name: string
    }
    readonly missing: readonly string[]
  }[]
  readonly unknown: readonly {
    readonly identity: {
      readonly id: string | null
      readonly name: string
    } | null
    readonly signerId: string | null
    readonly text: string
  }[]
  readonly sessionsEnded: number
}
export interface Identity {
  readonly _links: Readonly<
    Record<
      string,
      {
        readonly href: string
      }
    >
  >
  readonly id: string
  readonly createdAt: string
  readonly updatedAt: string
  readonly tags: Readonly<Record<string, string | number | boolean | null>>
  readonly name: string
  readonly type: {
    readonly _links: Readonly<
      Record<
        string,
        {
          readonly href: string
        }
      >
    >
    readonly entity: string
    readonly id: string
    readonly name: string
  }
  readonly typeId: string
  readonly isAdmin: boolean
  readonly isDefaultAdmin: boolean
  readonly isMfaEnabled: boolean
  readonly externalId: string | null
  readonly attributes: readonly string[]
  readonly attributeOrigins: readonly {
    readonly attribute: string
    readonly origin: 'manual' | 'signer'
    readonly signerId?: string | undefined
  }[]
  readonly roleAttributes: readonly string[]
  readonly authPolicyId: string
  readonly authPolicy: {
    readonly _links: Readonly<
      Record<
        string,
        {
          readonly href: string
        }
      >
    >
    readonly entity: string
    readonly id: string
    readonly name: string
  }
  readonly disabled: boolean
  readonly disabledAt?: string | undefined
  readonly disabledUntil?: string | undefined
  readonly expiresAt: string | null
  readonly lastLoginAt: string | null
  readonly lastLoginMethod: 'password' | 'cert' | 'ext-jwt' | 'passkey' | 'api-account' | null
  readonly linkedSigners: readonly string[]
  readonly authenticators: Readonly<Record<string, unknown>>
  readonly enrollment: Readonly<Record<string, unknown>>
  readonly envInfo: Readonly<Record<string, unknown>>
  readonly sdkInfo: Readonly<Record<string, unknown>>
  readonly appData: Readonly<Record<string, unknown>>
  readonly permissions: readonly Permission[] | null
  readonly defaultHostingCost: number
  readonly defaultHostingPrecedence: string
  readonly serviceHostingCosts: Readonly<Record<string, unknown>>
  readonly serviceHostingPrecedences: Readonly<Record<string, unknown>>
  readonly edgeRouterConnectionStatus: string
  readonly hasApiSession: boolean
  readonly hasEdgeRouterConnection: boolean
}
export interface IdentityType {
  readonly _links: Readonly<
    Record<
      string,
      {
        readonly href: string
      }
    >
  >
  readonly id: string
  readonly createdAt: string
  readonly updatedAt: string
  readonly tags: Readonly<Record<string, string | number | boolean | null>>
  readonly name: string
}
export interface AuthPolicy {
  readonly _links: Readonly<
    Record<
      string,
      {
        readonly href: string
      }
    >
  >
  readonly id: string
  readonly createdAt: string
  readonly updatedAt: string
  readonly tags: Readonly<Record<string, string | number | boolean | null>>
  readonly name: string
  readonly primary: {
    readonly cert: {
      readonly allowed: boolean
      readonly allowExpiredCerts: boolean
    }
    readonly extJwt: {
      readonly allowed: boolean
      readonly allowedSigners: readonly string[]
      readonly requireAcr: readonly string[]
      readonly requireAmr: readonly string[]
      readonly maxAuthAgeSeconds: number | null
    }
    readonly updb: {
      readonly allowed: boolean
      readonly minPasswordLength: number
      readonly requireSpecialChar: boolean
      readonly requireNumberChar: boolean
      readonly requireMixedCase: boolean
      readonly maxAttempts: number
      readonly lockoutDurationMinutes: number
    }
    readonly passkey: {
      readonly allowed: boolean
    }
  }
  readonly secondary: {
    readonly requireTotp: boolean
    readonly requireExtJwtSigner?: string | undefined
    readonly requirePasskey: boolean
  }
  readonly session: {
    readonly idleMinutes: number | null
    readonly maxMinutes: number | null
    readonly endWithToken: boolean
  }
  readonly certificate: {
    readonly maxDays: number | null
    readonly renewalNeedsToken: boolean
    readonly renewalGraceHours: number
  }
  readonly acceptRule: string | null
}
export interface Ca {
  readonly _links: Readonly<
    Record<
      string,
      {
        readonly href: string
      }
    >
  >
  readonly id: string
  readonly createdAt: string
  readonly updatedAt: string
  readonly tags: Readonly<Record<string, string | number | boolean | null>>
  readonly name: string
  readonly certPem: string
  readonly fingerprint: string
  readonly isVerified: boolean
  readonly verificationToken: string
  readonly isAuthEnabled: boolean
  readonly isAutoCaEnrollmentEnabled: boolean
  readonly isOttCaEnrollmentEnabled: boolean
  readonly identityRoles: readonly string[]
  readonly identityNameFormat: string
  readonly externalIdClaim?:
    | {
        readonly location: 'COMMON_NAME' | 'SAN_URI' | 'SAN_EMAIL'
        readonly matcher: 'ALL' | 'PREFIX' | 'SUFFIX' | 'SCHEME'
        readonly matcherCriteria: string
        readonly parser: 'NONE' | 'SPLIT'
        readonly parserCriteria: string
        readonly index: number
      }
    | undefined
  readonly trust: {
    readonly state: 'trusted' | 'untrusted'
    readonly writtenBy: {
      readonly id: string
      readonly name: string
    } | null
    readonly writtenAt: string
  }
}
export interface Authenticator {
  readonly _links: Readonly<
    Record<
      string,
      {
        readonly href: string
      }
    >
  >
  readonly id: string
  readonly createdAt: string
  readonly updatedAt: string
  readonly tags: Readonly<Record<string, string | number | boolean | null>>
  readonly identity: {
    readonly _links: Readonly<
      Record<
        string,
        {
          readonly href: string
        }
      >
    >
    readonly entity: string
    readonly id: string
    readonly name: string
  }
  readonly identityId: string
  readonly method: 'updb' | 'cert'
  readonly username?: string | undefined
  readonly certPem?: string | undefined
  readonly fingerprint?: string | undefined
  readonly isIssuedByNetwork?: boolean | undefined
  readonly lastAuthResolvedToRoot?: boolean | undefined
  readonly isExtendRequested?: boolean | undefined
  readonly extendRequestedAt?: string | undefined
  readonly isKeyRollRequested?: boolean | undefined
}
export interface Enrollment {
  readonly _links: Readonly<
    Record<
      string,
      {
        readonly href: string
      }
    >
  >
  readonly id: string
  readonly createdAt: string
  readonly updatedAt: string
  readonly tags: Readonly<Record<string, string | number | boolean | null>>
  readonly identity: {
    readonly _links: Readonly<
      Record<
        string,
        {
          readonly href: string
        }
      >
    >
    readonly entity: string
    readonly id: string
    readonly name: string
  }
  readonly identityId: string
  readonly method: string
  readonly username?: string | undefined
  readonly caId?: string | undefined
  readonly token?: string | undefined
  readonly jwt?: string | undefined
  readonly expiresAt: string
}
export interface ApiSession {
  readonly _links: Readonly<
    Record<
      string,
      {
        readonly href: string
      }
    >
  >
  readonly id: string
  readonly createdAt: string
  readonly updatedAt: string
  readonly tags: Readonly<Record<string, string | number | boolean | null>>
  readonly identity: {
    readonly _links: Readonly<
      Record<
        string,
        {
          readonly href: string
        }
      >
    >
    readonly entity: string
    readonly id: string
    readonly name: string
  }
  readonly identityId: string
  readonly ipAddress: string
  readonly configTypes: readonly string[]
  readonly authQueries: readonly AuthQuery[]
  readonly isMfaRequired: boolean
  readonly isMfaComplete: boolean
  readonly authenticatorId: string
  readonly boundKey?: string | null | undefined
  readonly lastActivityAt: string
  readonly cachedLastActivityAt: string
  readonly method?: 'password' | 'cert' | 'ext-jwt' | 'passkey' | 'api-account' | undefined
  readonly signerId?: string | null | undefined
  readonly client?: string | null | undefined
  readonly expiresAt?: string | undefined
  readonly state?: 'complete' | 'partial' | 'refused' | undefined
  readonly missing?: readonly string[] | undefined
}
export interface CurrentApiSession {
  readonly _links: Readonly<
    Record<
      string,
      {
        readonly href: string
      }
    >
  >
  readonly id: string
  readonly createdAt: string
  readonly updatedAt: string
  readonly tags: Readonly<Record<string, string | number | boolean | null>>
  readonly identity: {
    readonly _links: Readonly<
      Record<
        string,
        {
          readonly href: string
        }
      >
    >
    readonly entity: string
    readonly id: string
    readonly name: string
  }
  readonly identityId: string
  readonly ipAddress: string
  readonly configTypes: readonly string[]
  readonly authQueries: readonly AuthQuery[]
  readonly isMfaRequired: boolean
  readonly isMfaComplete: boolean
  readonly authenticatorId: string
  readonly boundKey?: string | null | undefined
  readonly lastActivityAt: string
  readonly cachedLastActivityAt: string
  readonly token: string
  readonly expiresAt: string
  readonly expirationSeconds: number
}
export interface AuthQuery {
  readonly typeId: string
  readonly provider: string
  readonly httpUrl?: string | undefined
  readonly httpMethod?: string | undefined
  readonly id?: string | undefined
  readonly clientId?: string | undefined
  readonly isTotpEnrolled?: boolean | undefined
  readonly isPasskeyEnrolled?: boolean | undefined
  readonly scopes: readonly string[] | null
}
export interface OneTimeCodes {
  readonly _links: Readonly<
    Record<
      string,
      {
        readonly href: string
      }
    >
  >
  readonly id: string
  readonly createdAt: string
  readonly updatedAt: string
  readonly tags: Readonly<Record<string, string | number | boolean | null>>
  readonly isVerified: boolean
  readonly provisioningUrl?: string | undefined
  readonly recoveryCodes: readonly string[] | null
}
export interface RecoveryCodes {
  readonly _links: Readonly<
    Record<
      string,
      {
        readonly href: string
      }
    >
  >
  readonly id: string
  readonly createdAt: string
  readonly updatedAt: string
  readonly tags: Readonly<Record<string, string | number | boolean | null>>
  readonly recoveryCodes: readonly string[]
}
export interface Passkey {
  readonly _links: Readonly<
    Record<
      string,
      {
        readonly href: string
      }
    >
  >
  readonly id: string
  readonly createdAt: string
  readonly updatedAt: string
  readonly tags: Readonly<Record<string, string | number | boolean | null>>
  readonly name: string
  readonly rpId: string
  readonly aaguid: string
  readonly transports: readonly string[]
  readonly isBackupEligible: boolean
  readonly isBackedUp: boolean
  readonly lastUsedAt: string | null
}
export interface NewSessionCertificate {
  readonly id: string
  readonly _links: Readonly<
    Record<
      string,
      {
        readonly href: string
      }
    >
  >
  readonly certificate: string
  readonly cas: string
}
export interface RenewedCertificate {
  readonly clientCert: string
  readonly ca: string
}
export interface Version {
  readonly version: string
  readonly revision: string
  readonly buildDate: string
  readonly runtimeVersion: string
  readonly capabilities: readonly string[]
  readonly apiVersions: Readonly<
    Record<
      string,
      Readonly<
        Record<
          string,
          {
            readonly path: string
            readonly apiBaseUrls: readonly string[]
          }
        >
      >
    >
  >
  readonly countersign: {
    readonly version: string
  }
}
export interface Controller {
  readonly _links: Readonly<
    Record<
      string,
      {
        readonly href: string
      }
    >
  >
  readonly id: string
  readonly createdAt: string
  readonly updatedAt: string
  readonly tags: Readonly<Record<string, string | number | boolean | null>>
  readonly name: string
  readonly certPem: string
  readonly fingerprint: string
  readonly isOnline: boolean
  readonly lastJoinedAt: string
  readonly ctrlAddress: string | null
  readonly apiAddresses: Readonly<
    Record<
      string,
      readonly {
        readonly url: string
        readonly version: string
      }[]
    >
  >
}
export interface Protocols {
  readonly https: {
    readonly address: string
  }
}
export interface NetworkJwt {
  readonly name: string
  readonly token: string
}
export interface Enrolled {
  readonly cert?: string | undefined
  readonly ca?: string | undefined
  readonly controllers: readonly Controller[]
  readonly identityId?: string | undefined
  readonly username?: string | undefined
}
export interface OrganizationSettings {
  readonly name: string
  readonly label: string
  readonly active: boolean
  readonly audience: string
}
export interface ProviderSettings {
  readonly name: string
  readonly kind: 'cognito' | 'auth0' | 'oidc'
  readonly issuer: string
  readonly discoveryUrl: string | null
  readonly jwksUri: string
  readonly tokenUrl: string | null
  readonly audience: string | null
  readonly clientIdClaim: string | null
  readonly requiredScope: string | null
  readonly registrationUrl: string | null
  readonly administration: {
    readonly kind: 'rfc7591' | 'cognito' | 'auth0' | 'entra' | 'keycloak' | 'manual'
    readonly registrationUrl?: string | undefined
    readonly url?: string | undefined
    readonly realm?: string | undefined
    readonly clientId?: string | undefined
    readonly accessKeyId?: string | undefined
    readonly scope?: string | undefined
    readonly managementAudience?: string | undefined
    readonly registrationTokenSet?: boolean | undefined
    readonly clientSecretSet?: boolean | undefined
    readonly secretAccessKeySet?: boolean | undefined
  } | null
  readonly enabled: boolean
}
export interface AccountSettings {
  readonly name: string
  readonly contactEmail: string | null
  readonly description: string | null
  readonly role: 'admin' | 'network-admin' | 'read-only'
  readonly active: boolean
  readonly rotation: {
    readonly everyDays: number
    readonly overlapHours: number
  } | null
  readonly conditions: Readonly<
    Record<
      string,
      | string
      | readonly string[]
      | {
          readonly glob: string
        }
    >
  > | null
  readonly expiresAt: string | null
  readonly lastUsedAt: string | null
  readonly lastUsedFrom: string | null
}
export interface NetworkSettings {
  readonly name: string
  readonly networkGroupId: string
  readonly size: string
  readonly provider: string
  readonly region: string
  readonly controllerUrl: string | null
}
export interface AdministrationTest {
  readonly ok: boolean
  readonly kind: 'rfc7591' | 'cognito' | 'auth0' | 'entra' | 'keycloak' | 'manual'
  readonly checks: readonly {
    readonly name: string
    readonly ok: boolean
    readonly missing?: string | undefined
    readonly message: string
  }[]
}
export interface AccountJob {
  readonly id: string
  readonly organizationId: string
  readonly identityProviderId: string
  readonly accountId: string
  readonly accountName: string
  readonly kind: 'create' | 'rotate' | 'remove' | 'remove-secret' | 'enable'
  readonly state: 'running' | 'pending' | 'failed' | 'unknown'
  readonly clientId: string | null
  readonly clientName: string | null
  readonly error: string | null
  readonly attempts: number
  readonly nextAttemptAt: string | null
  readonly createdAt: string
  readonly updatedAt: string
}
export interface EventSink {
  readonly _links: Readonly<
    Record<
      string,
      {
        readonly href: string
      }
    >
  >
  readonly id: string
  readonly createdAt: string
  readonly updatedAt: string
  readonly tags: Readonly<Record<string, string | number | boolean | null>>
  readonly name: string
  readonly kind: 'webhook' | 'otlp' | 'file'
  readonly url: string | null
  readonly format: 'json' | 'cloudevents'
  readonly filter: {
    readonly types?:
      | readonly (
          | 'authentication'
          | 'apiSession'
          | 'entityChange'
          | 'signerHealth'
          | 'enrollment'
          | 'identitySync'
          | 'providerEvent'
          | 'apiAccount'
          | 'auditHead'
          | 'eventSink'
        )[]
      | undefined
    readonly signers?: readonly string[] | undefined
    readonly outcomes?: readonly ('accepted' | 'refused' | 'success' | 'fail')[] | undefined
  } | null
  readonly enabled: boolean
  readonly secretSet: boolean
  readonly position: number
  readonly behind: number
  readonly dropped: number
  readonly lastDeliveryAt: string | null
  readonly lastError: string | null
}
export interface EventSinkTest {
  readonly delivered: boolean
  readonly eventId: string
  readonly status?: number | undefined
  readonly error?: string | undefined
  readonly durationMs: number
}
export interface AuditEntry {
  readonly id: string
  readonly at: string
  readonly actorId?: string | null | undefined
  readonly actorName?: string | null | undefined
  readonly action?: string | undefined
  readonly change?: string | null | undefined
  readonly objectKind?: string | null | undefined
  readonly objectId?: string | null | undefined
  readonly objectName?: string | null | undefined
  readonly requestId?: string | null | undefined
  readonly address?: string | null | undefined
  readonly before?: unknown | undefined
  readonly after?: unknown | undefined
  readonly node: string
  readonly sequence: number
  readonly previousHash: string
  readonly scope: 'controller' | 'organization'
  readonly contentHash: string
  readonly hash: string
}
export interface AuditHead {
  readonly node: string
  readonly sequence: number
  readonly hash: string
  readonly signature: string
  readonly publicKey: unknown
  readonly at: string
}
export interface SignerInput {
  readonly name: string
  readonly enabled: boolean
  readonly issuer: string
  readonly audience: string
  readonly additionalAudiences?: readonly string[] | null | undefined
  readonly jwksEndpoint?: string | null | undefined
  readonly jwksCaPem?: string | null | undefined
  readonly certPem?: string | null | undefined
  readonly kid?: string | null | undefined
  readonly jwks?:
    | {
        readonly keys: readonly Readonly<Record<string, unknown>>[]
      }
    | null
    | undefined
  readonly certPems?: readonly string[] | null | undefined
  readonly pushedKeys?:
    | {
        readonly maxAgeSeconds: number
      }
    | null
    | undefined
  readonly jwksAuthorization?: string | null | undefined
  readonly pinnedKeyThumbprints?: readonly string[] | null | undefined
  readonly requireKeyContinuity?: boolean | null | undefined
  readonly claimsProperty?: string | null | undefined
  readonly useExternalId?: boolean | null | undefined
  readonly externalAuthUrl?: string | null | undefined
  readonly openIdConfigurationUrl?: string | null | undefined
  readonly clientId?: string | null | undefined
  readonly scopes?: readonly string[] | string | null | undefined
  readonly targetToken?: 'ACCESS' | 'ID' | null | undefined
  readonly enrollToCertEnabled?: boolean | null | undefined
  readonly enrollToTokenEnabled?: boolean | null | undefined
  readonly enrollAttributeClaimsSelector?: string | null | undefined
  readonly enrollAuthPolicyId?: string | null | undefined
  readonly enrollNameClaimsSelector?: string | null | undefined
  readonly attributeSync?: 'enrollment' | 'login' | null | undefined
  readonly nameSync?: boolean | null | undefined
  readonly provisionOnLogin?: boolean | null | undefined
  readonly reprovisionAfterMinutes?: number | null | undefined
  readonly clockSkewSeconds?: number | null | undefined
  readonly maxTokenAgeSeconds?: number | null | undefined
  readonly requiredClaims?: Readonly<Record<string, unknown>> | null | undefined
  readonly testCases?:
    | readonly {
        readonly name: string
        readonly claims: Readonly<Record<string, unknown>>
        readonly header?: Readonly<Record<string, unknown>> | null | undefined
        readonly now?: string | number | null | undefined
        readonly expect: {
          readonly outcome: 'accepted' | 'refused'
          readonly check?: string | null | undefined
          readonly attributes?: readonly string[] | null | undefined
          readonly externalId?: string | null | undefined
        }
      }[]
    | null
    | undefined
  readonly acceptRule?: string | null | undefined
  readonly attributeRules?: readonly string[] | null | undefined
  readonly requirePossession?: 'none' | 'any' | 'dpop' | 'mtls' | null | undefined
  readonly oneUse?: boolean | null | undefined
  readonly sharedSignals?:
    | {
        readonly audience: string
        readonly issuer?: string | null | undefined
        readonly jwksUri?: string | null | undefined
        readonly actions?: Readonly<Record<string, unknown>> | null | undefined
      }
    | null
    | undefined
  readonly scimIdentityAttribute?: 'userName' | 'externalId' | 'email' | null | undefined
  readonly scimGroupAttributeTemplate?: string | null | undefined
  readonly tags?: Readonly<Record<string, unknown>> | null | undefined
}
export interface SignerChanges {
  readonly name?: string | null | undefined
  readonly enabled?: boolean | null | undefined
  readonly issuer?: string | null | undefined
  readonly audience?: string | null | undefined
  readonly additionalAudiences?: readonly string[] | null | undefined
  readonly jwksEndpoint?: string | null | undefined
  readonly jwksCaPem?: string | null | undefined
  readonly certPem?: string | null | undefined
  readonly kid?: string | null | undefined
  readonly jwks?:
    | {
        readonly keys: readonly Readonly<Record<string, unknown>>[]
      }
    | null
    | undefined
  readonly certPems?: readonly string[] | null | undefined
  readonly pushedKeys?:
    | {
        readonly maxAgeSeconds: number
      }
    | null
    | undefined
  readonly jwksAuthorization?: string | null | undefined
  readonly pinnedKeyThumbprints?: readonly string[] | null | undefined
  readonly requireKeyContinuity?: boolean | null | undefined
  readonly claimsProperty?: string | null | undefined
  readonly useExternalId?: boolean | null | undefined
  readonly externalAuthUrl?: string | null | undefined
  readonly openIdConfigurationUrl?: string | null | undefined
  readonly clientId?: string | null | undefined
  readonly scopes?: readonly string[] | string | null | undefined
  readonly targetToken?: 'ACCESS' | 'ID' | null | undefined
  readonly enrollToCertEnabled?: boolean | null | undefined
  readonly enrollToTokenEnabled?: boolean | null | undefined
  readonly enrollAttributeClaimsSelector?: string | null | undefined
  readonly enrollAuthPolicyId?: string | null | undefined
  readonly enrollNameClaimsSelector?: string | null | undefined
  readonly attributeSync?: 'enrollment' | 'login' | null | undefined
  readonly nameSync?: boolean | null | undefined
  readonly provisionOnLogin?: boolean | null | undefined
  readonly reprovisionAfterMinutes?: number | null | undefined
  readonly clockSkewSeconds?: number | null | undefined
  readonly maxTokenAgeSeconds?: number | null | undefined
  readonly requiredClaims?: Readonly<Record<string, unknown>> | null | undefined
  readonly testCases?:
    | readonly {
        readonly name: string
        readonly claims: Readonly<Record<string, unknown>>
        readonly header?: Readonly<Record<string, unknown>> | null | undefined
        readonly now?: string | number | null | undefined
        readonly expect: {
          readonly outcome: 'accepted' | 'refused'
          readonly check?: string | null | undefined
          readonly attributes?: readonly string[] | null | undefined
          readonly externalId?: string | null | undefined
        }
      }[]
    | null
    | undefined
  readonly acceptRule?: string | null | undefined
  readonly attributeRules?: readonly string[] | null | undefined
  readonly requirePossession?: 'none' | 'any' | 'dpop' | 'mtls' | null | undefined
  readonly oneUse?: boolean | null | undefined
  readonly sharedSignals?:
    | {
        readonly audience: string
        readonly issuer?: string | null | undefined
        readonly jwksUri?: string | null | undefined
        readonly actions?: Readonly<Record<string, unknown>> | null | undefined
      }
    | null
    | undefined
  readonly scimIdentityAttribute?: 'userName' | 'externalId' | 'email' | null | undefined
  readonly scimGroupAttributeTemplate?: string | null | undefined
  readonly tags?: Readonly<Record<string, unknown>> | null | undefined
}
export interface AuthPolicyInput {
  readonly name: string
  readonly primary: {
    readonly cert: {
      readonly allowed: boolean
      readonly allowExpiredCerts: boolean
    }
    readonly extJwt: {
      readonly allowed: boolean
      readonly allowedSigners: readonly string[]
      readonly requireAcr?: readonly string[] | null | undefined
      readonly requireAmr?: readonly string[] | null | undefined
      readonly maxAuthAgeSeconds?: number | null | undefined
    }
    readonly updb: {
      readonly allowed: boolean
      readonly minPasswordLength: number
      readonly requireSpecialChar: boolean
      readonly requireNumberChar: boolean
      readonly requireMixedCase: boolean
      readonly maxAttempts: number
      readonly lockoutDurationMinutes: number
    }
    readonly passkey?:
      | {
          readonly allowed?: boolean | null | undefined
        }
      | null
      | undefined
  }
  readonly secondary: {
    readonly requireTotp: boolean
    readonly requireExtJwtSigner?: string | null | undefined
    readonly requirePasskey?: boolean | null | undefined
  }
  readonly session?:
    | {
        readonly idleMinutes?: number | null | undefined
        readonly maxMinutes?: number | null | undefined
        readonly endWithToken?: boolean | null | undefined
      }
    | null
    | undefined
  readonly certificate?:
    | {
        readonly maxDays?: number | null | undefined
        readonly renewalNeedsToken?: boolean | null | undefined
        readonly renewalGraceHours?: number | null | undefined
      }
    | null
    | undefined
  readonly acceptRule?: string | null | undefined
  readonly tags?: Readonly<Record<string, unknown>> | null | undefined
}
export interface AuthPolicyChanges {
  readonly name?: string | null | undefined
  readonly primary?:
    | {
        readonly cert?:
          | {
              readonly allowed?: boolean | null | undefined
              readonly allowExpiredCerts?: boolean | null | undefined
            }
          | null
          | undefined
        readonly extJwt?:
          | {
              readonly allowed?: boolean | null | undefined
              readonly allowedSigners?: readonly string[] | null | undefined
              readonly requireAcr?: readonly string[] | null | undefined
              readonly requireAmr?: readonly string[] | null | undefined
              readonly maxAuthAgeSeconds?: number | null | undefined
            }
          | null
          | undefined
        readonly updb?:
          | {
              readonly allowed?: boolean | null | undefined
              readonly minPasswordLength?: number | null | undefined
              readonly requireSpecialChar?: boolean | null | undefined
              readonly requireNumberChar?: boolean | null | undefined
              readonly requireMixedCase?: boolean | null | undefined
              readonly maxAttempts?: number | null | undefined
              readonly lockoutDurationMinutes?: number | null | undefined
            }
          | null
          | undefined
        readonly passkey?:
          | {
              readonly allowed?: boolean | null | undefined
            }
          | null
          | undefined
      }
    | null
    | undefined
  readonly secondary?:
    | {
        readonly requireTotp?: boolean | null | undefined
        readonly requireExtJwtSigner?: string | null | undefined
        readonly requirePasskey?: boolean | null | undefined
      }
    | null
    | undefined
  readonly session?:
    | {
        readonly idleMinutes?: number | null | undefined
        readonly maxMinutes?: number | null | undefined
        readonly endWithToken?: boolean | null | undefined
      }
    | null
    | undefined
  readonly certificate?:
    | {
        readonly maxDays?: number | null | undefined
        readonly renewalNeedsToken?: boolean | null | undefined
        readonly renewalGraceHours?: number | null | undefined
      }
    | null
    | undefined
  readonly acceptRule?: string | null | undefined
  readonly tags?: Readonly<Record<string, unknown>> | null | undefined
}
export interface CaInput {
  readonly name: string
  readonly certPem: string
  readonly isAuthEnabled: boolean
  readonly isAutoCaEnrollmentEnabled: boolean
  readonly isOttCaEnrollmentEnabled: boolean
  readonly identityRoles: readonly string[]
  readonly identityNameFormat?: string | null | undefined
  readonly externalIdClaim?:
    | {
        readonly location: 'COMMON_NAME' | 'SAN_URI' | 'SAN_EMAIL'
        readonly matcher: 'ALL' | 'PREFIX' | 'SUFFIX' | 'SCHEME'
        readonly matcherCriteria: string
        readonly parser: 'NONE' | 'SPLIT'
        readonly parserCriteria: string
        readonly index: number
      }
    | null
    | undefined
  readonly tags?: Readonly<Record<string, unknown>> | null | undefined
}
export interface CaChanges {
  readonly name?: string | null | undefined
  readonly isAuthEnabled?: boolean | null | undefined
  readonly isAutoCaEnrollmentEnabled?: boolean | null | undefined
  readonly isOttCaEnrollmentEnabled?: boolean | null | undefined
  readonly identityRoles?: readonly string[] | null | undefined
  readonly identityNameFormat?: string | null | undefined
  readonly externalIdClaim?:
    | {
        readonly location?: 'COMMON_NAME' | 'SAN_URI' | 'SAN_EMAIL' | null | undefined
        readonly matcher?: 'ALL' | 'PREFIX' | 'SUFFIX' | 'SCHEME' | null | undefined
        readonly matcherCriteria?: string | null | undefined
        readonly parser?: 'NONE' | 'SPLIT' | null | undefined
        readonly parserCriteria?: string | null | undefined
        readonly index?: number | null | undefined
      }
    | null
    | undefined
  readonly tags?: Readonly<Record<string, unknown>> | null | undefined
}
export interface EventSinkInput {
  readonly name: string
  readonly kind: 'webhook' | 'otlp' | 'file'
  readonly url?: string | null | undefined
  readonly format?: 'json' | 'cloudevents' | null | undefined
  readonly filter?:
    | {
        readonly types?:
          | readonly (
              | 'authentication'
              | 'apiSession'
              | 'entityChange'
              | 'signerHealth'
              | 'enrollment'
              | 'identitySync'
              | 'providerEvent'
              | 'apiAccount'
              | 'auditHead'
              | 'eventSink'
            )[]
          | null
          | undefined
        readonly signers?: readonly string[] | null | undefined
        readonly outcomes?: readonly ('accepted' | 'refused' | 'success' | 'fail')[] | null | undefined
      }
    | null
    | undefined
  readonly enabled?: boolean | null | undefined
  readonly secret?: string | null | undefined
  readonly tags?: Readonly<Record<string, unknown>> | null | undefined
}
export interface EventSinkChanges {
  readonly name?: string | null | undefined
  readonly kind?: 'webhook' | 'otlp' | 'file' | null | undefined
  readonly url?: string | null | undefined
  readonly format?: 'json' | 'cloudevents' | null | undefined
  readonly filter?:
    | {
        readonly types?:
          | readonly (
              | 'authentication'
              | 'apiSession'
              | 'entityChange'
              | 'signerHealth'
              | 'enrollment'
              | 'identitySync'
              | 'providerEvent'
              | 'apiAccount'
              | 'auditHead'
              | 'eventSink'
            )[]
          | null
          | undefined
        readonly signers?: readonly string[] | null | undefined
        readonly outcomes?: readonly ('accepted' | 'refused' | 'success' | 'fail')[] | null | undefined
      }
    | null
    | undefined
  readonly enabled?: boolean | null | undefined
  readonly secret?: string | null | undefined
  readonly tags?: Readonly<Record<string, unknown>> | null | undefined
}
export interface IdentityInput {
  readonly name: string
  readonly type: 'User' | 'Device' | 'Service' | 'Router' | 'Default'
  readonly isAdmin: boolean
  readonly externalId?: string | null | undefined
  readonly attributes?: readonly string[] | null | undefined
  readonly roleAttributes?: readonly string[] | null | undefined
  readonly authPolicyId?: string | null | undefined
  readonly expiresAt?: string | null | undefined
  readonly linkedSigners?: readonly string[] | null | undefined
  readonly enrollment?:
    | {
        readonly ott?: boolean | null | undefined
        readonly ottca?: string | null | undefined
        readonly updb?: string | null | undefined
      }
    | null
    | undefined
  readonly appData?: Readonly<Record<string, unknown>> | null | undefined
  readonly permissions?: readonly Permission[] | null | undefined
  readonly defaultHostingCost?: number | null | undefined
  readonly defaultHostingPrecedence?: 'default' | 'required' | 'failed' | null | undefined
  readonly serviceHostingCosts?: Readonly<Record<string, unknown>> | null | undefined
  readonly serviceHostingPrecedences?: Readonly<Record<string, unknown>> | null | undefined
  readonly tags?: Readonly<Record<string, unknown>> | null | undefined
}
export interface IdentityChanges {
  readonly name?: string | null | undefined
  readonly type?: 'User' | 'Device' | 'Service' | 'Router' | 'Default' | null | undefined
  readonly isAdmin?: boolean | null | undefined
  readonly externalId?: string | null | undefined
  readonly attributes?: readonly string[] | null | undefined
  readonly roleAttributes?: readonly string[] | null | undefined
  readonly authPolicyId?: string | null | undefined
  readonly expiresAt?: string | null | undefined
  readonly linkedSigners?: readonly string[] | null | undefined
  readonly appData?: Readonly<Record<string, unknown>> | null | undefined
  readonly permissions?: readonly Permission[] | null | undefined
  readonly defaultHostingCost?: number | null | undefined
  readonly defaultHostingPrecedence?: 'default' | 'required' | 'failed' | null | undefined
  readonly serviceHostingCosts?: Readonly<Record<string, unknown>> | null | undefined
  readonly serviceHostingPrecedences?: Readonly<Record<string, unknown>> | null | undefined
  readonly tags?: Readonly<Record<string, unknown>> | null | undefined
}
export interface AuthenticatorInput {
  readonly method: 'updb' | 'cert'
  readonly identityId: string
  readonly username?: string | null | undefined
  readonly password?: string | null | undefined
  readonly certPem?: string | null | undefined
  readonly tags?: Readonly<Record<string, unknown>> | null | undefined
}
export interface AuthenticatorChanges {
  readonly username?: string | null | undefined
  readonly password?: string | null | undefined
  readonly certPem?: string | null | undefined
  readonly tags?: Readonly<Record<string, unknown>> | null | undefined
}
export interface EnrollmentInput {
  readonly method: 'ott' | 'ottca' | 'updb'
  readonly identityId: string
  readonly expiresAt: string
  readonly caId?: string | null | undefined
  readonly username?: string | null | undefined
  readonly tags?: Readonly<Record<string, unknown>> | null | undefined
}
export interface OrganizationInput {
  readonly name: string
  readonly label: string
  readonly active?: boolean | null | undefined
}
export interface OrganizationChanges {
  readonly name?: string | null | undefined
  readonly label?: string | null | undefined
  readonly active?: boolean | null | undefined
}
export interface OrganizationQuotaChanges {
  readonly networks?: number | null | undefined
  readonly accounts?: number | null | undefined
  readonly providers?: number | null | undefined
  readonly clientsPerAccount?: number | null | undefined
}
export interface ProviderInput {
  readonly organizationId?: string | null | undefined
  readonly name: string
  readonly kind: 'cognito' | 'auth0' | 'oidc'
  readonly issuer: string
  readonly discoveryUrl?: string | null | undefined
  readonly jwksUri?: string | null | undefined
  readonly tokenUrl?: string | null | undefined
  readonly audience?: string | null | undefined
  readonly clientIdClaim?: string | null | undefined
  readonly requiredScope?: string | null | undefined
  readonly registrationUrl?: string | null | undefined
  readonly registrationToken?: string | null | undefined
  readonly administration?:
    | {
        readonly kind: 'rfc7591' | 'cognito' | 'auth0' | 'entra' | 'keycloak' | 'manual'
        readonly registrationUrl?: string | null | undefined
        readonly url?: string | null | undefined
        readonly realm?: string | null | undefined
        readonly clientId?: string | null | undefined
        readonly accessKeyId?: string | null | undefined
        readonly scope?: string | null | undefined
        readonly managementAudience?: string | null | undefined
        readonly registrationToken?: string | null | undefined
        readonly clientSecret?: string | null | undefined
        readonly secretAccessKey?: string | null | undefined
        readonly registrationTokenSet?: boolean | null | undefined
        readonly clientSecretSet?: boolean | null | undefined
        readonly secretAccessKeySet?: boolean | null | undefined
      }
    | null
    | undefined
  readonly enabled?: boolean | null | undefined
}
export interface ProviderChanges {
  readonly organizationId?: string | null | undefined
  readonly name?: string | null | undefined
  readonly kind?: 'cognito' | 'auth0' | 'oidc' | null | undefined
  readonly issuer?: string | null | undefined
  readonly discoveryUrl?: string | null | undefined
  readonly jwksUri?: string | null | undefined
  readonly tokenUrl?: string | null | undefined
  readonly audience?: string | null | undefined
  readonly clientIdClaim?: string | null | undefined
  readonly requiredScope?: string | null | undefined
  readonly registrationUrl?: string | null | undefined
  readonly registrationToken?: string | null | undefined
  readonly administration?:
    | {
        readonly kind: 'rfc7591' | 'cognito' | 'auth0' | 'entra' | 'keycloak' | 'manual'
        readonly registrationUrl?: string | null | undefined
        readonly url?: string | null | undefined
        readonly realm?: string | null | undefined
        readonly clientId?: string | null | undefined
        readonly accessKeyId?: string | null | undefined
        readonly scope?: string | null | undefined
        readonly managementAudience?: string | null | undefined
        readonly registrationToken?: string | null | undefined
        readonly clientSecret?: string | null | undefined
        readonly secretAccessKey?: string | null | undefined
        readonly registrationTokenSet?: boolean | null | undefined
        readonly clientSecretSet?: boolean | null | undefined
        readonly secretAccessKeySet?: boolean | null | undefined
      }
    | null
    | undefined
  readonly enabled?: boolean | null | undefined
}
export interface AccountInput {
  readonly name: string
  readonly identityProviderId: string
  readonly organizationId?: string | null | undefined
  readonly clientId?: string | null | undefined
  readonly proofToken?: string | null | undefined
  readonly contactEmail?: string | null | undefined
  readonly description?: string | null | undefined
  readonly role?: 'admin' | 'network-admin' | 'read-only' | null | undefined
  readonly active?: boolean | null | undefined
  readonly rotation?:
    | {
        readonly everyDays: number
        readonly overlapHours: number
      }
    | null
    | undefined
  readonly kind?: 'client' | 'federated' | null | undefined
  readonly conditions?: Readonly<Record<string, unknown>> | null | undefined
  readonly expiresAt?: string | null | undefined
}
export interface AccountChanges {
  readonly name?: string | null | undefined
  readonly contactEmail?: string | null | undefined
  readonly description?: string | null | undefined
  readonly role?: 'admin' | 'network-admin' | 'read-only' | null | undefined
  readonly active?: boolean | null | undefined
  readonly rotation?:
    | {
        readonly everyDays: number
        readonly overlapHours: number
      }
    | null
    | undefined
  readonly conditions?: Readonly<Record<string, unknown>> | null | undefined
  readonly expiresAt?: string | null | undefined
}
export interface AccountRotation {
  readonly overlapMinutes?: number | null | undefined
  readonly clientId?: string | null | undefined
  readonly proofToken?: string | null | undefined
}
export interface NetworkInput {
  readonly name: string
  readonly networkGroupId?: string | null | undefined
  readonly size?: string | null | undefined
  readonly provider?: string | null | undefined
  readonly region?: string | null | undefined
  readonly controllerUrl?: string | null | undefined
}
export interface NetworkChanges {
  readonly name?: string | null | undefined
  readonly networkGroupId?: string | null | undefined
  readonly size?: string | null | undefined
  readonly provider?: string | null | undefined
  readonly region?: string | null | undefined
  readonly controllerUrl?: string | null | undefined
}
