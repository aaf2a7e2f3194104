const UNITS = [
  ['year', 365 * 86_400],
  ['month', 30 * 86_400],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const

const FORMAT = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })

/** An instant seen from `now`: “3 minutes ago”, “in 2 days”, “just now”. */
export function relativeTime(at: number, now: number): string {
  const seconds = Math.round((at - now) / 1000)
  for (const [unit, length] of UNITS) {
    if (Math.abs(seconds) >= length) return FORMAT.format(Math.trunc(seconds / length), unit)
  }
  return seconds > 0 ? 'in less than a minute' : 'just now'
}
