import type { ErrorCode } from './error-codes.ts'
import { MAX_NAME_LENGTH } from './limits.ts'
import Type, { type TSchema } from './schema/type.ts'

/** Default length limits for stored texts. */
export const MAX_TEXT_LENGTH = 1024
export const MAX_URL_LENGTH = 2048
export const MAX_PEM_LENGTH = 65_536

export const name = () => Type.String({ maxLength: MAX_NAME_LENGTH })
export const text = (maxLength = MAX_TEXT_LENGTH) => Type.String({ maxLength })
export const url = () => Type.String({ maxLength: MAX_URL_LENGTH })

/** A free-form object. The resource's rules validate its members. */
export const openObject = () => Type.Record(Type.String(), Type.Unknown())

/** Optional in bodies: absent and null both mean "not given". */
export const optional = <Schema extends TSchema>(schema: Schema) => Type.Optional(schema)

/** A value that error responses must not repeat. */
export const secret = (options: { minLength: number; maxLength: number; refusedAs?: ErrorCode }) =>
  Type.String({ ...options, secret: true })
