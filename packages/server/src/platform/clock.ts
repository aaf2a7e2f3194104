/** The wall clock, in milliseconds since 1970; tests replace it. */
export interface Clock {
  now(): number
}

export const systemClock: Clock = { now: () => Date.now() }
