import { AppError } from '@countersign/core'
import type { AccessTokenRefusal } from '../token/decision-reason.ts'

const CHALLENGE = 'Bearer realm="countersign"'

/**
 * A call of the hosted API without a valid credential. The response does not give the reason, with one exception: a valid token without the
 * scope that its provider record requires is FORBIDDEN.
 */
export class TokenRefused extends AppError {
  readonly challenge: string

  constructor(reason: AccessTokenRefusal | 'session-refused' | 'no-credential') {
    const lacksScope = reason === 'scope-missing'
    super(lacksScope ? 'FORBIDDEN' : 'UNAUTHORIZED')
    const error = lacksScope ? 'insufficient_scope' : 'invalid_token'
    this.challenge = reason === 'no-credential' ? CHALLENGE : `${CHALLENGE}, error="${error}"`
  }
}
