const FIRST_MS = 1_000
const MAX_MS = 300_000

/** How long to wait after a number of failures in a row: a second, doubled each time, at most five minutes, with a quarter at random. */
export function retryDelayMs(failures: number, random: number): number {
  const base = Math.min(MAX_MS, FIRST_MS * 2 ** Math.min(failures - 1, 20))
  return Math.round(base * (0.75 + random / 4))
}
