import { AppError } from '@countersign/core'
import type { AccessTokenRefusal } from '../token/decision-reason.ts'

const CHALLENGE = 'Bearer realm="countersign"'
const SUSPENDED = 'the organization is suspended by the operator of this controller'

/**
 * A call of the hosted API without a valid credential. The response does not give the reason, with two exceptions, both for valid tokens: one without
 * the scope that its provider record requires is FORBIDDEN, and an account learns that its organization is suspended.
 */
export class TokenRefused extends AppError {
  readonly challenge: string

  constructor(reason: AccessTokenRefusal | 'session-refused' | 'no-credential', detail: string | null = null) {
    const lacksScope = reason === 'scope-missing'
    const isSuspended = reason === 'organization-suspended'
    const message = detail === null ? SUSPENDED : `${SUSPENDED}: ${detail}`
    super(lacksScope ? 'FORBIDDEN' : 'UNAUTHORIZED', isSuspended ? { message } : undefined)
    const error = lacksScope ? 'insufficient_scope' : 'invalid_token'
    this.challenge = reason === 'no-credential' ? CHALLENGE : `${CHALLENGE}, error="${error}"`
  }
}
