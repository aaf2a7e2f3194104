import { AppError } from '@countersign/core'
import type { AccessTokenRefusal } from '../token/decision-reason.ts'
import { isPossessionReason, possessionChallenge } from '../token/possession-challenge.ts'

const CHALLENGE = 'Bearer realm="countersign"'
const SUSPENDED = 'the organization is suspended by the operator of this controller'

/** Characters that an `error_description` must not contain (RFC 6750 section 3). */
const NOT_IN_DESCRIPTION = /[^\x20-\x21\x23-\x5b\x5d-\x7e]/g

/**
 * A call of the hosted API without a valid credential. The response does not give the reason, with exceptions, all for valid tokens: one without
 * the scope that its provider record requires is FORBIDDEN, an account learns that its organization is suspended (`detail` is the reason), and otherwise `detail` says
 * which of the token's own claims meet no account's conditions.
 */
export class TokenRefused extends AppError {
  readonly challenge: string

  constructor(reason: AccessTokenRefusal | 'session-refused' | 'no-credential', detail: string | null = null) {
    const lacksScope = reason === 'scope-missing'
    const isSuspended = reason === 'organization-suspended'
    const message = isSuspended ? suspensionText(detail) : detail
    super(lacksScope ? 'FORBIDDEN' : 'UNAUTHORIZED', message === null ? undefined : { message })
    const error = lacksScope ? 'insufficient_scope' : 'invalid_token'
    const shown = isSuspended ? null : detail
    const description = shown === null ? '' : `, error_description="${shown.replaceAll(NOT_IN_DESCRIPTION, "'")}"`
    if (isPossessionReason(reason)) this.challenge = possessionChallenge(reason, 'countersign')
    else this.challenge = reason === 'no-credential' ? CHALLENGE : `${CHALLENGE}, error="${error}"${description}`
  }
}

function suspensionText(reason: string | null): string {
  return reason === null ? SUSPENDED : `${SUSPENDED}: ${reason}`
}
