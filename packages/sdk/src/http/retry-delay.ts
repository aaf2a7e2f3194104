const BASE_MS = 250
const MAX_MS = 10_000
const MS_PER_SECOND = 1000

/** Seconds that the answer asks to wait, given as a number or as a date. */
export function readRetryAfter(headers: Headers): number | undefined {
  const value = headers.get('retry-after')
  if (!value) return undefined
  const seconds = Number(value)
  if (Number.isFinite(seconds)) return Math.max(0, seconds)
  const at = Date.parse(value)
  return Number.isNaN(at) ? undefined : Math.max(0, (at - Date.now()) / MS_PER_SECOND)
}

/**
 * How long to wait before the attempt after this one: what the server asks for, else twice as long each time, never two callers
 * alike. Undefined when the server asks for more patience than a call may have.
 */
export function retryDelayMs(attempt: number, retryAfterSeconds: number | undefined): number | undefined {
  const jitter = Math.random()
  if (retryAfterSeconds === undefined) return Math.min(BASE_MS * 2 ** attempt, MAX_MS) * (0.5 + jitter / 2)
  const asked = retryAfterSeconds * MS_PER_SECOND
  return asked > MAX_MS ? undefined : asked + jitter * BASE_MS
}

/** Waits; throws the signal's reason when that comes first. */
export function sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, milliseconds)
    if (signal?.aborted) stop()
    else signal?.addEventListener('abort', stop, { once: true })
  })
}
