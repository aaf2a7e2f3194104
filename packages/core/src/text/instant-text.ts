const DAY_MS = 86_400_000
/** Length of the time of day in `2026-11-15T18:22:07.123Z`. */
const TIME_LENGTH = 13

const padded = (count: number, digits: number): readonly string[] =>
  Array.from({ length: count }, (_, number) => String(number).padStart(digits, '0'))

const TWO_DIGITS = padded(60, 2)
const THREE_DIGITS = padded(1_000, 3)

let day = Number.NaN
let dayText = ''

let latest = Number.NaN
let latestText = ''

/** Same as `toISOString` at a fifth of its cost. Caches the last day and the last instant: lists contain many instants of one day, sessions repeat one. */
export function instantText(milliseconds: number): string {
  const instant = Math.trunc(milliseconds)
  if (instant !== latest) {
    latestText = formatInstant(instant)
    latest = instant
  }
  return latestText
}

function formatInstant(instant: number): string {
  const dayOfInstant = Math.floor(instant / DAY_MS)
  if (dayOfInstant !== day) {
    dayText = new Date(instant).toISOString().slice(0, -TIME_LENGTH)
    day = dayOfInstant
  }
  const time = instant - dayOfInstant * DAY_MS
  const seconds = Math.floor(time / 1_000)
  const minutes = Math.floor(seconds / 60)
  const hour = TWO_DIGITS[Math.floor(minutes / 60)]
  return `${dayText}${hour}:${TWO_DIGITS[minutes % 60]}:${TWO_DIGITS[seconds % 60]}.${THREE_DIGITS[time % 1_000]}Z`
}
