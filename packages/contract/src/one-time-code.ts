import { secret } from './body-members.ts'
import Type, { type Static } from './schema/type.ts'

/** The header with the code of calls without a body. */
export const CODE_HEADER = 'mfa-validation-code'

/** Body of calls with a one-time code or a recovery code. A text that is neither is a wrong code, not a validation error. */
export const OneTimeCode = Type.Object({
  code: secret({ minLength: 1, maxLength: 64, refusedAs: 'MFA_INVALID_TOKEN' }),
})

export type OneTimeCode = Static<typeof OneTimeCode>
