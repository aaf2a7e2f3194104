import type { RevocableToken } from '@countersign/core'
import type { ClientKey } from './reads/account-client-reads.ts'

/** The credential that authenticated an actor. It must still be valid in the transaction that writes. */
export type ActorCredential = SessionCredential | ClientCredential

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
