import { createHash } from 'node:crypto'
import type { SignerSettings, Trust } from '@countersign/core'

/** The part of a signer that the key sets need; a stored signer has it. */
export interface KeySigner {
  readonly id: string
  /** Of a provider record. */
  readonly organizationId?: string | undefined
  /** Of a signer of the controller; provider records have none. */
  readonly trust?: Pick<Trust, 'isTrusted' | 'writtenById'> | undefined
  readonly enabled: boolean
  /** Whether the organization of a provider record is suspended: stored keys are used, and none are fetched. */
  readonly isPaused?: boolean | undefined
  readonly revision: number
  readonly jwksEndpoint: string | null
  /** An additional CA to trust for the endpoint. */
  readonly jwksCaPem?: string | null
  readonly certPem: string | null
  readonly kid: string | null
  readonly jwks?: SignerSettings['jwks']
  readonly certPems?: readonly string[] | null
  readonly pushedKeys?: SignerSettings['pushedKeys']
  /** The header with which the endpoint is fetched, sealed. */
  readonly jwksAuthorization?: string | null
  /** When not empty, other keys are not used. */
  readonly pinnedKeyThumbprints?: readonly string[]
  /** Whether fetched keys that share none with the earlier ones wait for a confirmation. */
  readonly requireKeyContinuity?: boolean
}

/** What only a signer's own keys have: the keys of its security events are fetched by the rules for any endpoint. */
export const FETCHED_ONLY = {
  certPem: null,
  kid: null,
  jwks: null,
  certPems: null,
  pushedKeys: null,
  jwksAuthorization: null,
  pinnedKeyThumbprints: [],
  requireKeyContinuity: false,
} as const satisfies Partial<KeySigner>

/** Stands for the endpoint of a set that was pushed. */
export const PUSHED: KeyEndpoint = { url: 'pushed:', caDigest: '' }

/** What the header of a signer is sealed for. */
export const jwksAuthorizationUse = (signerId: string): string => `signer jwks authorization ${signerId}`

const SIGNALS = ':signals'

/** The id under which the keys of a signer's security events are managed, when they differ from those of its tokens. */
export function signalKeysId(signerId: string): string {
  return `${signerId}${SIGNALS}`
}

/** The signer whose keys are managed under this id. */
export function keyOwnerOf(id: string): string {
  return id.endsWith(SIGNALS) ? id.slice(0, -SIGNALS.length) : id
}

/** Releases before trust noted no writer. */
const UNKNOWN_WRITER = 'unknown'

/** The organization of a provider record, or the last writer of a signer that is not trusted. Undefined for a trusted signer. */
export function untrustedOwnerOf({ organizationId, trust }: KeySigner): string | undefined {
  if (organizationId !== undefined) return organizationId
  return trust?.isTrusted === false ? (trust.writtenById ?? UNKNOWN_WRITER) : undefined
}

/** Where keys are fetched from: with another CA, another server may have responded. */
export interface KeyEndpoint {
  readonly url: string
  /** SHA-256 of the additional CA; empty without one. */
  readonly caDigest: string
}

export function keyEndpoint(url: string, caPem: string | null | undefined): KeyEndpoint {
  return { url, caDigest: caPem ? createHash('sha256').update(caPem).digest('base64url') : '' }
}

export function isSameEndpoint(a: KeyEndpoint, b: KeyEndpoint): boolean {
  return a.url === b.url && a.caDigest === b.caDigest
}

/** A name for the endpoint in maps and tables. */
export function endpointName({ url, caDigest }: KeyEndpoint): string {
  return caDigest ? `${url} ${caDigest}` : url
}

export interface StoredKeySet extends KeyEndpoint {
  readonly jwks: string
  readonly fetchedAt: number
  /** A later set that waits for a confirmation. */
  readonly pendingJwks?: string | null
}

/** A key set to store. */
export interface NewKeySet extends Omit<StoredKeySet, 'pendingJwks'> {
  /** The thumbprints of its keys. */
  readonly thumbprints: readonly string[]
}
