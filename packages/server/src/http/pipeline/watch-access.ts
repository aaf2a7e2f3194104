import { createTimeLimit } from './time-limit.ts'

/** Access is checked again this often, so that a stream ends within a second after access is lost. */
const RECHECK_MS = 250
/** A check that takes longer counts as refused. Interval and limit together stay below a second. */
const withinTime = createTimeLimit(600)

interface WatchedAccess {
  /** Checks by the same rules and with the same credentials as at the start. Rejects when the caller is no longer authorized. */
  recheck(): Promise<unknown>
  /** Called after every check that succeeds. */
  onAllowed?(): void
  /** Called once, after which there are no more checks. */
  onRefused(): void
}

/** Checks repeatedly that the caller of a long response is still authorized. Returns a function that stops the checks. */
export function watchAccess({ recheck, onAllowed, onRefused }: WatchedAccess): () => void {
  let timer: NodeJS.Timeout | undefined
  let isStopped = false
  const check = async (): Promise<void> => {
    const isAllowed = await withinTime(recheck()).then(
      () => true,
      () => false,
    )
    if (isStopped) return
    if (!isAllowed) return onRefused()
    checkLater()
    onAllowed?.()
  }
  const checkLater = (): void => {
    timer = setTimeout(() => void check(), RECHECK_MS)
  }
  checkLater()
  return () => {
    isStopped = true
    clearTimeout(timer)
  }
}
