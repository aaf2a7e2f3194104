import { isDigit } from './character.ts'

const SHAPE = '0000-00-00T00:00:00'
const OFFSET_SHAPE = '00:00'

/**
 * Parses an RFC 3339 instant (upper-case T and Z) to milliseconds since the epoch. Undefined for any other text.
 * Digits below a millisecond are dropped: stored instants have milliseconds.
 */
export function parseDatetime(text: string): number | undefined {
  if (!hasShape(text.slice(0, SHAPE.length), SHAPE)) return undefined
  const wallClock = text.slice(0, SHAPE.length)
  const utc = Date.parse(`${wallClock}Z`)
  // Date.parse rolls 30 February over and accepts hour 24. A valid instant formats to the same text.
  if (Number.isNaN(utc) || !new Date(utc).toISOString().startsWith(wallClock)) return undefined

  let at = SHAPE.length
  let milliseconds = 0
  if (text[at] === '.') {
    const start = ++at
    while (isDigit(text[at])) at++
    if (at === start) return undefined
    milliseconds = Number(text.slice(start, at).slice(0, 3).padEnd(3, '0'))
  }
  const offset = parseOffset(text.slice(at))
  return offset === undefined ? undefined : utc + milliseconds - offset
}

function parseOffset(text: string): number | undefined {
  if (text === 'Z') return 0
  const sign = text[0] === '+' ? 1 : text[0] === '-' ? -1 : 0
  if (sign === 0 || !hasShape(text.slice(1), OFFSET_SHAPE)) return undefined
  const hours = Number(text.slice(1, 3))
  const minutes = Number(text.slice(4, 6))
  return hours > 23 || minutes > 59 ? undefined : sign * (hours * 60 + minutes) * 60_000
}

/** A `0` in the shape matches any digit, every other character itself. */
function hasShape(text: string, shape: string): boolean {
  if (text.length !== shape.length) return false
  for (let i = 0; i < shape.length; i++) {
    if (shape[i] === '0' ? !isDigit(text[i]) : text[i] !== shape[i]) return false
  }
  return true
}
