import { AppError } from '@countersign/core'

/** A call over a limit, with the time to wait before a retry. */
export class TooManyRequests extends AppError {
  readonly retryAfterSeconds: number

  constructor(waitMs: number) {
    super('SERVER_TOO_MANY_REQUESTS')
    this.retryAfterSeconds = Math.max(1, Math.ceil(waitMs / 1000))
  }
}
