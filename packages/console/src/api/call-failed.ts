import { CountersignError } from '@countersign/sdk'

/** A refused call, or one without a response (`status` 0). Its texts come from the server: show them as text only. */
export { CountersignError as CallFailed }

/** Whether there was no response at all. */
export function isUnreachable(error: unknown): boolean {
  return error instanceof CountersignError && error.status === 0
}

const PRECONDITION_FAILED = 412

/** Whether the entity was changed after it was read. */
export function isOutdated(error: unknown): boolean {
  return error instanceof CountersignError && error.status === PRECONDITION_FAILED
}
