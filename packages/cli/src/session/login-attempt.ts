import type { DpopKey } from '@countersign/sdk'
import type { Call } from '../command.ts'

/** A call of `login`, with the controller's address and CA. */
export interface LoginAttempt {
  readonly call: Call
  readonly url: string
  readonly caPem: string | undefined
  /** The key that the session is bound to, with `--dpop`. */
  readonly dpop?: DpopKey | undefined
}
