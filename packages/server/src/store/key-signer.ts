import type { Trust } from '@countersign/core'

/** The part of a signer that the key sets need; a stored signer has it. */
export interface KeySigner {
  readonly id: string
  /** Of a provider record. */
  readonly organizationId?: string | undefined
  /** Of a signer of the controller; provider records have none. */
  readonly trust?: Pick<Trust, 'isTrusted' | 'writtenById'> | undefined
  readonly enabled: boolean
  readonly revision: number
  readonly jwksEndpoint: string | null
  /** An additional CA to trust for the endpoint. */
  readonly jwksCaPem?: string | null
  readonly certPem: string | null
  readonly kid: string | null
}

/** Releases before trust noted no writer. */
const UNKNOWN_WRITER = 'unknown'

/** In whose name keys are fetched: a writer who is not trusted has one share for all their signers, as an organization has for all its records. */
export function ownerOf({ id, organizationId, trust }: KeySigner): string {
  if (organizationId !== undefined) return organizationId
  return trust?.isTrusted === false ? (trust.writtenById ?? UNKNOWN_WRITER) : id
}

export interface StoredKeySet {
  readonly url: string
  readonly jwks: string
  readonly fetchedAt: number
}
