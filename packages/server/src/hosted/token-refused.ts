import { AppError } from '@countersign/core'
import type { AccessRefusal } from '../token/decision-reason.ts'

const CHALLENGE = 'Bearer realm="countersign"'

/**
 * A call of the hosted API that nobody vouches for. Callers learn no more than that. A good token without the scope that its provider's
 * record asks for is the one case that is a true refusal.
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
