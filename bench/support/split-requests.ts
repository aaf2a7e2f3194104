/** The maximum before each figure. With fewer, compilation is still under way and a login costs a third more CPU time. */
const MAX_WARM_UP_REQUESTS = 20_000
/** The maximum share of a limited number of requests. */
const MAX_WARM_UP_SHARE = 1 / 2

/** Splits the available requests into warm-up and measurement. */
export function splitRequests(available: number): { warmUp: number; measured: number } {
  const warmUp = Math.min(MAX_WARM_UP_REQUESTS, Math.floor(available * MAX_WARM_UP_SHARE))
  return { warmUp, measured: available - warmUp }
}

/** Distinct requests prepared per second of measuring. A faster server uses them up and ends its rounds early. */
const PREPARED_PER_SECOND = 6_500

/** Returns the number of distinct requests that one figure needs, including the warm-up. */
export function requestsFor(seconds: number): number {
  return MAX_WARM_UP_REQUESTS + Math.ceil(seconds * PREPARED_PER_SECOND)
}
