import type { JsonObject } from '@countersign/core'

/** Why a client may be bound to an account. A revision is that of the provider record by which it was established. */
export type ClientBinding =
  | { readonly by: 'operator' }
  /** The issuer's own endpoint registered the client for this account. */
  | { readonly by: 'registration'; readonly revision: number }
  /** The caller has presented a token of the client; these are its verified claims. */
  | { readonly by: 'proof'; readonly revision: number; readonly claims: JsonObject }

export const BY_OPERATOR: ClientBinding = { by: 'operator' }
