const BASE_MS = 250
const MAX_MS = 10_000
const MS_PER_SECOND = 1000

/** The `Retry-After` header in seconds; it is a number or a date. */
export function readRetryAfter(headers: Headers): number | undefined {
  const value = headers.get('retry-after')
  if (!value) return undefined
  const seconds = Number(value)
  if (Number.isFinite(seconds)) return Math.max(0, seconds)
  const at = Date.parse(value)
  return Number.isNaN(at) ? undefined : Math.max(0, (at - Date.now()) / MS_PER_SECOND)
}

/**
 * The delay before the attempt after `attempt`: the server's `Retry-After`, otherwise exponential, both with jitter. Undefined when
 * `Retry-After` exceeds 10 s: do not retry.
 */
export function retryDelayMs(attempt: number, retryAfterSeconds: number | undefined): number | undefined {
  const jitter = Math.random()
  if (retryAfterSeconds === undefined) return Math.min(BASE_MS * 2 ** attempt, MAX_MS) * (0.5 + jitter / 2)
  const requestedMs = retryAfterSeconds * MS_PER_SECOND
  return requestedMs > MAX_MS ? undefined : requestedMs + jitter * BASE_MS
}

/** Rejects with the signal's reason when it aborts. */
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
