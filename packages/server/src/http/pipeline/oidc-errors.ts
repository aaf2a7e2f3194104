import { ERRORS } from '@countersign/contract'
import { type AppError, OAuthError } from '@countersign/core'
import { isBelow } from '../api-paths.ts'
import { errorEnvelope, jsonText } from './envelope.ts'

const ROOT = '/oidc'

/** Whether a path, with or without query, belongs to the OpenID provider. */
export function isOidcPath(url: string): boolean {
  return isBelow(url, ROOT)
}

/**
 * An error in the formats of the OpenID provider: the code and message without an envelope below `/oidc/login`; at the other endpoints the members of
 * OAuth, with the code and message as well where another part of the server refused the request.
 */
export function oidcError(error: AppError, url: string): { readonly type: string; readonly body: string } {
  if (error.code === 'NOT_FOUND') return { type: 'text/plain; charset=utf-8', body: NOT_FOUND }
  if (error instanceof OAuthError) return json(oauthMembers(error.error, error.description))
  const { requestId: _, ...bare } = errorEnvelope(error, '').error
  return json(url.startsWith(LOGIN) ? bare : { ...oauthMembers(nameOf(error), ERRORS[error.code].message), ...bare })
}

/** An error of a token endpoint (RFC 6749 section 5.2). */
export function oauthErrorBody(error: AppError): string {
  if (error instanceof OAuthError) return jsonText(oauthMembers(error.error, error.description))
  const { code, publicCause } = error
  const reason = publicCause && ('field' in publicCause ? publicCause.reason : publicCause.message)
  return jsonText(oauthMembers(nameOf(error), reason ?? ERRORS[code].message))
}

const LOGIN = `${ROOT}/login/`
const NOT_FOUND = '404 page not found\n'

const json = (value: object) => ({ type: 'application/json', body: jsonText(value) })

const oauthMembers = (error: string, description: string) => ({ error, error_description: description })

/** RFC 6749 sections 4.1.2.1 and 5.2. */
function nameOf({ code }: AppError): string {
  const { status, retryable } = ERRORS[code]
  if (retryable) return 'temporarily_unavailable'
  return status >= 500 ? 'server_error' : 'invalid_request'
}
