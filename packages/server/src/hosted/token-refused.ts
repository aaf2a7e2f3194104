import { AppError } from '@countersign/core'
import type { AccessJudgement } from './judge-access-token.ts'

type Refusal = Extract<AccessJudgement, { ok: false }>

const CHALLENGE = 'Bearer realm="countersign"'

/**
 * A call of the hosted API that nobody vouches for. Callers learn no more than that; the judgement is for the log. A good token without
 * the scope that its provider's record asks for is the one case that is a true refusal.
 */
export class TokenRefused extends AppError {
  readonly challenge: string
  readonly refusal: Refusal | undefined

  constructor(refusal: Refusal | 'nothing' | undefined) {
    const lacksScope = typeof refusal === 'object' && refusal.reason === 'scope-missing'
    super(lacksScope ? 'FORBIDDEN' : 'UNAUTHORIZED')
    const error = lacksScope ? 'insufficient_scope' : 'invalid_token'
    this.challenge = refusal === 'nothing' ? CHALLENGE : `${CHALLENGE}, error="${error}"`
    this.refusal = typeof refusal === 'object' ? refusal : undefined
  }
}
