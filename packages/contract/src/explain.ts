import { optional, secret, text } from './body-members.ts'
import Type, { type Static } from './schema/type.ts'

export const EXPLAIN_METHODS = ['ext-jwt', 'enroll'] as const
export type ExplainMethod = (typeof EXPLAIN_METHODS)[number]

/** Longer than any accepted token, so that texts pasted by mistake get a hint. */
const MAX_PASTED_LENGTH = 65_536

/** Body of `POST /ext-jwt-signers/explain`. Responses never repeat the token. */
export const ExplainToken = Type.Object({
  token: secret({ minLength: 0, maxLength: MAX_PASTED_LENGTH }),
  method: optional(Type.Enum([...EXPLAIN_METHODS])),
  signerId: optional(text(128)),
})

/** Body of `POST /ext-jwt-signers/discover`. */
export const DiscoverSigner = Type.Object({ issuer: text() })

export type ExplainToken = Static<typeof ExplainToken>
export type DiscoverSigner = Static<typeof DiscoverSigner>
