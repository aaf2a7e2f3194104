import { secretDigest } from '../secret.ts'

/** A token or proof that is accepted once. Its use is noted in the store, under a digest, until it would be refused for its age. */
export class CredentialUse {
  readonly digest: string
  readonly expiresAtMs: number
  /** What the store has said in this request. */
  state: 'unknown' | 'used-here' | 'used-before' = 'unknown'

  /** `parts` identify the credential. None of them contains a line feed. */
  constructor(parts: readonly string[], expiresAtMs: number) {
    this.digest = secretDigest(parts.join('\n'))
    this.expiresAtMs = expiresAtMs
  }
}
