import { AppError } from '../app-error.ts'

export type OAuthErrorName =
  | 'access_denied'
  | 'interaction_required'
  | 'invalid_client'
  | 'invalid_dpop_proof'
  | 'invalid_grant'
  | 'invalid_request'
  | 'invalid_scope'
  | 'invalid_target'
  | 'invalid_token'
  | 'login_required'
  | 'unauthorized_client'
  | 'unsupported_grant_type'
  | 'use_dpop_nonce'

/** The client to which an error of the authorization endpoint is sent. Its redirect URI has been checked. */
export interface ErrorRedirect {
  readonly redirectUri: string
  readonly state: string | undefined
}

interface OAuthErrorDetails {
  readonly redirect?: ErrorRedirect
  /** Which decides the status; that of the error by default. */
  readonly code?: 'UNAUTHORIZED' | 'COULD_NOT_VALIDATE'
}

/** An error of an OAuth endpoint (RFC 6749 sections 4.1.2.1 and 5.2): status 400, or 401 for a refused or missing access token. */
export class OAuthError extends AppError {
  readonly error: OAuthErrorName
  readonly description: string
  /** Set when the client is informed by a redirect instead. */
  readonly redirect: ErrorRedirect | undefined

  constructor(error: OAuthErrorName, description: string, { redirect, code = codeOf(error) }: OAuthErrorDetails = {}) {
    super(code, { message: description })
    this.error = error
    this.description = description
    this.redirect = redirect
  }

  /** For a refused access token (RFC 6750 section 3.1). */
  get challenge(): string | undefined {
    const { error, description } = this
    return error === 'invalid_token' ? `Bearer error="${error}", error_description="${description}"` : undefined
  }
}

/** A request without the access token that it needs. Its challenge names no error (RFC 6750 section 3.1). */
export class MissingTokenError extends OAuthError {
  constructor() {
    super('invalid_request', 'access token missing', { code: 'UNAUTHORIZED' })
  }

  override get challenge(): string {
    return 'Bearer'
  }
}

function codeOf(error: OAuthErrorName): NonNullable<OAuthErrorDetails['code']> {
  return error === 'invalid_token' ? 'UNAUTHORIZED' : 'COULD_NOT_VALIDATE'
}
