const DAY_MS = 86_400_000
/** Of `2026-11-15T18:22:07.123Z` the time of day. */
const TIME_LENGTH = 13

const padded = (count: number, digits: number): readonly string[] =>
  Array.from({ length: count }, (_, number) => String(number).padStart(digits, '0'))

const TWO_DIGITS = padded(60, 2)
const THREE_DIGITS = padded(1_000, 3)

let day = Number.NaN
let dayText = ''

let latest = Number.NaN
let latestText = ''

/** What `toISOString` writes, at a fifth of its cost: a list tells dozens of instants, most of them of the same day, and a session one over and over. */
export function instantText(milliseconds: number): string {
  const instant = Math.trunc(milliseconds)
  if (instant !== latest) {
    latestText = write(instant)
    latest = instant
  }
  return latestText
}

function write(instant: number): string {
  const itsDay = Math.floor(instant / DAY_MS)
  if (itsDay !== day) {
    dayText = new Date(instant).toISOString().slice(0, -TIME_LENGTH)
    day = itsDay
  }
  const time = instant - itsDay * DAY_MS
  const seconds = Math.floor(time / 1_000)
  const minutes = Math.floor(seconds / 60)
  const hour = TWO_DIGITS[Math.floor(minutes / 60)]
  return `${dayText}${hour}:${TWO_DIGITS[minutes % 60]}:${TWO_DIGITS[seconds % 60]}.${THREE_DIGITS[time % 1_000]}Z`
}
