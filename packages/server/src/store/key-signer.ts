/** What looking after keys needs to know of a signer; a stored signer is one. */
export interface KeySigner {
  readonly id: string
  readonly enabled: boolean
  readonly revision: number
  readonly jwksEndpoint: string | null
  /** One more CA to trust for the endpoint. */
  readonly jwksCaPem?: string | null
  readonly certPem: string | null
  readonly kid: string | null
}

/** The keys of a signer as they are stored. */
export interface StoredKeySet {
  readonly url: string
  readonly jwks: string
  readonly fetchedAt: number
}
