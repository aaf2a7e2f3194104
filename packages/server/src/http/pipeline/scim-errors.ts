import { ERRORS } from '@countersign/contract'
import { type AppError, SCIM_MEDIA_TYPE, SCIM_URN, scimTypeOf } from '@countersign/core'
import { isBelow, SCIM } from '../api-paths.ts'
import { jsonText } from './envelope.ts'

/** Whether a path, with or without query, belongs to SCIM. */
export function isScimPath(url: string): boolean {
  return isBelow(url, SCIM)
}

/** An error in the format of RFC 7644, section 3.12. */
export function scimErrorBody(error: AppError): { readonly type: string; readonly body: string } {
  const { status, message } = ERRORS[error.code]
  const { publicCause } = error
  const scimType = scimTypeOf(error)
  const detail = publicCause && ('field' in publicCause ? publicCause.reason : publicCause.message)
  const json = {
    schemas: [SCIM_URN.error],
    status: String(status),
    ...(scimType !== undefined && { scimType }),
    detail: detail ?? message,
  }
  return { type: SCIM_MEDIA_TYPE, body: jsonText(json) }
}
