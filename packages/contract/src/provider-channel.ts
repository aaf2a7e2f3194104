import { secret } from './body-members.ts'
import Type, { type Static } from './schema/type.ts'

/** Longer tokens are refused by their length. */
const MAX_TOKEN_LENGTH = 65_536

/** Body of `POST /external-jwt-signers/{id}/backchannel-logout`, a form. */
export const LogoutToken = Type.Object({ logout_token: secret({ minLength: 1, maxLength: MAX_TOKEN_LENGTH }) })

/** Body of `POST /external-jwt-signers/{id}/events`: the whole body is the token. */
export const SecurityEventToken = Type.Object({ token: secret({ minLength: 1, maxLength: MAX_TOKEN_LENGTH }) })

export type SecurityEventBody = Static<typeof SecurityEventToken>
export type LogoutBody = Static<typeof LogoutToken>
