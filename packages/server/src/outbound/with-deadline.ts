import { OutboundError } from './outbound-error.ts'

/** Does work whose requests are aborted after `ms`. */
export async function withDeadline<Result>(
  ms: number,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const controller = new AbortController()
  const late = new OutboundError('timeout', `the work at the provider took longer than ${ms / 1000} s`)
  const timer = setTimeout(() => controller.abort(late), ms)
  try {
    return await work(controller.signal)
  } finally {
    clearTimeout(timer)
  }
}
