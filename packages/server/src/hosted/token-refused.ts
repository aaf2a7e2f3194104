import { AppError } from '@countersign/core'
import type { AccessRefusal } from '../token/decision-reason.ts'

const CHALLENGE = 'Bearer realm="countersign"'

/**
 * A call of the hosted API without a good credential. Callers learn no reason but one: a good token that lacks the scope that its provider's
 * record requires is FORBIDDEN.
 */
export class TokenRefused extends AppError {
  readonly challenge: string

  constructor(reason: AccessRefusal | 'session-refused' | 'nothing') {
    const lacksScope = reason === 'scope-missing'
    super(lacksScope ? 'FORBIDDEN' : 'UNAUTHORIZED')
    const error = lacksScope ? 'insufficient_scope' : 'invalid_token'
    this.challenge = reason === 'nothing' ? CHALLENGE : `${CHALLENGE}, error="${error}"`
  }
}
