import { optional, text } from '../body-members.ts'
import { MAX_TOKEN_CHARACTERS } from '../limits.ts'
import Type, { type Static } from '../schema/type.ts'

/** The form of `POST /auth/v1/token` (RFC 8693). */
export const AccountTokenRequest = Type.Object({
  grant_type: text(256),
  subject_token: Type.String({ maxLength: MAX_TOKEN_CHARACTERS, secret: true }),
  subject_token_type: text(256),
  requested_token_type: optional(text(256)),
})

export type AccountTokenRequest = Static<typeof AccountTokenRequest>
