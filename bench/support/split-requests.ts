/**
 * Before each figure at most: what is compiled on the way to speed is not what a request costs. With fewer, a login costs a third more
 * than it does from then on.
 */
const WARM_UP_REQUESTS = 20_000
/** Of requests that are numbered, this part at most goes to warming up. */
const WARM_UP_SHARE = 1 / 2

/** How many requests warm up and how many are left to measure, of as many as there are. */
export function splitRequests(available: number): { warmUp: number; measured: number } {
  const warmUp = Math.min(WARM_UP_REQUESTS, Math.floor(available * WARM_UP_SHARE))
  return { warmUp, measured: available - warmUp }
}

/** More than the product answers on any machine that this was run on. */
const MOST_PER_SECOND = 6_500

/** How many different requests a figure of so many seconds can use up, warming up included. */
export function requestsFor(seconds: number): number {
  return WARM_UP_REQUESTS + Math.ceil(seconds * MOST_PER_SECOND)
}
