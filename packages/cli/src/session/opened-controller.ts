import type { ControllerClient } from '@countersign/sdk'

/** A controller with a session. */
export interface OpenedController {
  readonly client: ControllerClient
  readonly url: string
  /** How the session was started. */
  readonly method: string | undefined
  /** Replaces a 401 of `work` with its reason. */
  explain<T>(work: Promise<T>): Promise<T>
}
