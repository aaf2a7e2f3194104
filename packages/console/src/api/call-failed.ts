import { CountersignError } from '@countersign/sdk'

/** A call that was refused, or that had no answer (`status` 0). Names and reasons come from the server and are shown as text only. */
export { CountersignError as CallFailed }

/** Whether nobody answered: the connection is lost, or the controller is away. */
export function isUnanswered(error: unknown): boolean {
  return error instanceof CountersignError && error.status === 0
}

const PRECONDITION_FAILED = 412

/** Whether somebody else changed the thing after it was read. */
export function isOutdated(error: unknown): boolean {
  return error instanceof CountersignError && error.status === PRECONDITION_FAILED
}
