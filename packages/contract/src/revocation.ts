import { openObject, optional, text } from './body-members.ts'
import Type, { type Static } from './schema/type.ts'

/** What a revocation names by its id: one token, all tokens of a session, or all tokens of an identity. */
export const REVOCATION_TYPES = ['JTI', 'API_SESSION', 'IDENTITY'] as const
export type RevocationType = (typeof REVOCATION_TYPES)[number]

/** Body of `POST /revocations`. */
export const RevocationCreate = Type.Object({
  id: text(256),
  type: Type.Enum(REVOCATION_TYPES),
  tags: optional(openObject()),
})

export type RevocationCreate = Static<typeof RevocationCreate>
