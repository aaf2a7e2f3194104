/** A signer as somebody who is not logged in sees it. */
export interface ClientSigner {
  readonly id: string
  readonly name: string
  readonly externalAuthUrl: string | null
  readonly openIdConfigurationUrl: string | null
  readonly clientId: string | null
  readonly scopes: string | readonly string[] | null
  readonly audience: string
  readonly targetToken: 'ACCESS' | 'ID'
  readonly enrollToCertEnabled: boolean
  readonly enrollToTokenEnabled: boolean
  readonly createdAt: string
  readonly updatedAt: string
}

/** What creating a signer takes: exactly one of `jwksEndpoint` and `certPem`. */
export interface SignerInput {
  readonly name: string
  readonly enabled: boolean
  readonly issuer: string
  readonly audience: string
  readonly jwksEndpoint?: string | null
  readonly jwksCaPem?: string | null
  readonly certPem?: string | null
  readonly kid?: string | null
  readonly claimsProperty?: string
  readonly useExternalId?: boolean
  readonly externalAuthUrl?: string | null
  readonly openIdConfigurationUrl?: string | null
  readonly clientId?: string | null
  readonly scopes?: readonly string[] | null
  readonly targetToken?: 'ACCESS' | 'ID'
  readonly enrollToCertEnabled?: boolean
  readonly enrollToTokenEnabled?: boolean
  readonly enrollAttributeClaimsSelector?: string | null
  readonly enrollNameClaimsSelector?: string
  readonly enrollAuthPolicyId?: string | null
  readonly clockSkewSeconds?: number
  readonly maxTokenAgeSeconds?: number | null
  readonly requiredClaims?: Readonly<Record<string, string | readonly string[]>> | null
  readonly tags?: Readonly<Record<string, string | number | boolean | null>>
}

/** A signer as management sees it. */
export interface Signer extends Required<SignerInput> {
  readonly id: string
  readonly fingerprint: string | null
  readonly commonName: string
  readonly notBefore: string
  readonly notAfter: string
  readonly createdAt: string
  readonly updatedAt: string
}
