import { createTimeLimit } from './time-limit.ts'

/** How often it is asked again whether the reader may read: what he may not see any more ends within a second of that. */
const READMIT_MS = 250
/** One that cannot be answered in time is answered no: both together stay below that second. */
const withinTime = createTimeLimit(600)

interface WhileAdmitted {
  /** Whether the caller may still call, by the same rules and with the same credentials as when he called. Rejects if not. */
  readmit(): Promise<unknown>
  /** He may, and some time has passed. */
  onAdmitted?(): void
  /** He may not any more. Nothing is asked after this. */
  onRefused(): void
}

/** Watches over an answer that lasts. Answers how to stop watching. */
export function whileAdmitted({ readmit, onAdmitted, onRefused }: WhileAdmitted): () => void {
  let timer: NodeJS.Timeout | undefined
  let isStopped = false
  const look = async (): Promise<void> => {
    const isAdmitted = await withinTime(readmit()).then(
      () => true,
      () => false,
    )
    if (isStopped) return
    if (!isAdmitted) return onRefused()
    lookLater()
    onAdmitted?.()
  }
  const lookLater = (): void => {
    timer = setTimeout(() => void look(), READMIT_MS)
  }
  lookLater()
  return () => {
    isStopped = true
    clearTimeout(timer)
  }
}
