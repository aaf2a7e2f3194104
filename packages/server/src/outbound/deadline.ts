import { OutboundError } from './outbound-error.ts'

/** The time limits of one exchange with a server. */
export interface Deadline {
  readonly signal: AbortSignal
  /** Aborts after `ms`. Returns a function that cancels the timer. */
  limit(ms: number, message: string): () => void
  /** Settles like `work`, or rejects when the deadline aborts first. */
  race<T>(work: Promise<T>): Promise<T>
  end(): void
}

export function createDeadline(callerSignal: AbortSignal | undefined): Deadline {
  const controller = new AbortController()
  const { signal } = controller
  const timers: NodeJS.Timeout[] = []
  const stop = (): void => controller.abort(new OutboundError('stopped', 'the fetch was aborted'))
  if (callerSignal?.aborted) stop()
  callerSignal?.addEventListener('abort', stop)
  const aborted = new Promise<never>((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
    if (signal.aborted) reject(signal.reason)
  })
  aborted.catch(() => {})
  return {
    signal,
    limit: (ms, message) => {
      const timer = setTimeout(() => {
        controller.abort(new OutboundError('timeout', `${message} within ${ms / 1000} s`))
      }, ms)
      timers.push(timer)
      return () => clearTimeout(timer)
    },
    race: (work) => {
      work.catch(() => {})
      return Promise.race([work, aborted])
    },
    end: () => {
      callerSignal?.removeEventListener('abort', stop)
      for (const timer of timers) clearTimeout(timer)
    },
  }
}
