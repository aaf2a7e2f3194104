import { secret } from './body-members.ts'
import Type, { type Static } from './schema/type.ts'

/** The header in which calls without a body carry a code. */
export const CODE_HEADER = 'mfa-validation-code'

/** Body of the calls that a one-time code or a recovery code is given to. Whatever is neither is simply wrong. */
export const OneTimeCode = Type.Object({
  code: secret({ minLength: 1, maxLength: 64, refusedAs: 'MFA_INVALID_TOKEN' }),
})

export type OneTimeCode = Static<typeof OneTimeCode>
