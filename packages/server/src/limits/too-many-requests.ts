import { AppError } from '@countersign/core'

/** A call that is over a limit, and when it is worth trying again. */
export class TooManyRequests extends AppError {
  readonly retryAfterSeconds: number

  constructor(waitMs: number) {
    super('SERVER_TOO_MANY_REQUESTS')
    this.retryAfterSeconds = Math.max(1, Math.ceil(waitMs / 1000))
  }
}
