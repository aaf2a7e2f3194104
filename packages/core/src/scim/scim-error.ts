import type { ErrorCode } from '@countersign/contract/error-codes'
import { AppError } from '../app-error.ts'

/** The error keywords of RFC 7644, section 3.12, that this server sends. */
export type ScimType =
  | 'invalidFilter'
  | 'invalidPath'
  | 'invalidSyntax'
  | 'invalidValue'
  | 'mutability'
  | 'noTarget'
  | 'tooMany'
  | 'uniqueness'

const CODES: Readonly<Record<ScimType, ErrorCode>> = {
  invalidFilter: 'INVALID_FILTER',
  invalidPath: 'INVALID_FIELD',
  invalidSyntax: 'COULD_NOT_PARSE_BODY',
  invalidValue: 'INVALID_FIELD',
  mutability: 'INVALID_FIELD',
  noTarget: 'INVALID_FIELD',
  tooMany: 'INVALID_FIELD',
  uniqueness: 'NOT_UNIQUE',
}

/** The refusal of a SCIM request. The keyword is part of the public cause, because errors of operations cross a thread. */
export function scimError(scimType: ScimType, message: string): AppError {
  return new AppError(CODES[scimType], { message, data: { scimType } })
}

const BY_CODE: Partial<Record<ErrorCode, ScimType>> = {
  COULD_NOT_PARSE_BODY: 'invalidSyntax',
  COULD_NOT_VALIDATE: 'invalidValue',
  INVALID_FIELD: 'invalidValue',
  INVALID_FILTER: 'invalidFilter',
}

/** The keyword of an error; undefined where its status says everything. */
export function scimTypeOf({ code, publicCause }: AppError): string | undefined {
  const data = publicCause && 'data' in publicCause ? publicCause.data : undefined
  return data?.scimType ?? BY_CODE[code]
}
