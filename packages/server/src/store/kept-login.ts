import type { JsonObject } from '@countersign/core'

/** The claims of an earlier login, as far as they are kept. */
export interface KeptLogin {
  readonly signerId: string
  readonly identityId: string | null
  readonly outcome: string
  readonly at: number
  /** The names of the claims that are kept where the token had them. Of others nothing is known. */
  readonly names: readonly string[]
  readonly claims: JsonObject
  /** Identifies where the keys of the signer came from. */
  readonly keySource: string
  /** Of the key that verified the token; null when it is not known. */
  readonly keyThumbprint: string | null
}
