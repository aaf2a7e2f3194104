import { type CredentialUse, type PossessionProofs, type RuleRequest, refuseProof } from '@countersign/core'

/** What a request proves about the keys that its client holds, and the use of its proofs. */
export interface RequestProofs extends PossessionProofs {
  /** Whether any token was sent with the scheme `DPoP`. */
  readonly hasDpop: boolean
  /** The thumbprint of the key of the TLS client certificate; undefined without one. */
  certificateKey(): string | undefined
  /**
   * Uses a proof that was verified, in a transaction of its own. Returns false when another request has used it, here or on another node. A request uses its
   * own proof as often as it needs to. The transaction takes its turn as one of the actor, an identity or API account, so that its proofs delay no others.
   */
  use(proof: CredentialUse | undefined, actorId: string): Promise<boolean>
}

/** For tokens that did not come with a request of their holder: no token that is bound to a key is accepted. */
export const NO_PROOFS: RequestProofs = {
  certificateSha256: () => undefined,
  certificateKey: () => undefined,
  hasDpop: false,
  isDpop: () => false,
  proofFor: async () => refuseProof('proof-missing', null),
  use: async (proof) => proof === undefined,
}

/** What the verdict on a token can depend on, beside the token: what rules read of its request, and what the request proves. */
export interface TokenContext extends RuleRequest {
  readonly proofs: RequestProofs
}
