/** The part of a signer that the key sets need; a stored signer has it. */
export interface KeySigner {
  readonly id: string
  /** The organization of a provider record. */
  readonly owner?: string | undefined
  readonly enabled: boolean
  readonly revision: number
  readonly jwksEndpoint: string | null
  /** An additional CA to trust for the endpoint. */
  readonly jwksCaPem?: string | null
  readonly certPem: string | null
  readonly kid: string | null
}

export interface StoredKeySet {
  readonly url: string
  readonly jwks: string
  readonly fetchedAt: number
}
