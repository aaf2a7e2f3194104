import type { RevocableToken } from '@countersign/core'
import type { ClientKey } from './reads/account-client-reads.ts'

/** The credential that authenticated an actor. It must still be valid in the transaction that writes. */
export type ActorCredential = SessionCredential | AccountCredential

/** The credential of an API account. */
export type AccountCredential = ClientCredential | FederatedCredential

export interface SessionCredential {
  readonly sessionId: string
  /** The signer of the second token that came with the request; null when none was required or verified. */
  readonly secondSigner: SignerRevision | null
  /** The `jti` of the access token that named the session. */
  readonly tokenId?: string
}

/** A signer, with its revision when it verified a token. By another revision the token may be refused. */
export interface SignerRevision {
  readonly id: string
  readonly revision: number
  /** The token, which its identity provider may have revoked since. */
  readonly token: RevocableToken
}

/** The client of an API account that the account's access token was issued to. */
export interface ClientCredential extends ClientKey {
  /** The revision of the provider record that verified the token. By another one the token may be refused. */
  readonly providerRevision: number
}

/** The state of a federated API account and of its provider record when they accepted a token. In another state the token may be refused. */
export interface FederatedCredential {
  readonly accountRevision: number
  readonly providerRevision: number
  /** The digest of an access token of this controller, which must not have expired; undefined for a token of the provider. */
  readonly tokenDigest?: string
}
