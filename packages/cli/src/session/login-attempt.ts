import type { Call } from '../command.ts'

/** A call of `login`, the controller that it names and the CA to trust there. */
export interface LoginAttempt {
  readonly call: Call
  readonly url: string
  readonly caPem: string | undefined
}
