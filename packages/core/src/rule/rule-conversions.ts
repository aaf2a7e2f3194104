import { parseDatetime } from '../filter/parse-datetime.ts'
import { checkedInt, checkedTime, OperatorFault } from './rule-operators.ts'
import { RuleDouble, RuleDuration, type RuleValue, typeOf } from './rule-value.ts'

type Conversion = (value: RuleValue) => RuleValue | OperatorFault

const UNIT_MS: Readonly<Record<string, number>> = {
  h: 3_600_000,
  m: 60_000,
  s: 1_000,
  ms: 1,
  us: 0.001,
  µs: 0.001,
  ns: 0.000_001,
}
const DURATION_PART = /(\d+(?:\.\d{1,18})?)(h|ms|m|s|us|µs|ns)/y
/** Longer texts take longer to read, and are no durations or times that anyone writes. */
const MAX_TIME_LENGTH = 64
/** About 10,000 years, as in CEL. */
const MAX_DURATION_MS = 315_576_000_000_000

/** Parses `1h30m`, `-0.5s`. Undefined for any other text. */
export function findDuration(text: string): RuleDuration | undefined {
  if (text.length > MAX_TIME_LENGTH) return undefined
  const isNegative = text.startsWith('-')
  let at = isNegative || text.startsWith('+') ? 1 : 0
  if (at === text.length) return undefined
  let ms = 0
  while (at < text.length) {
    DURATION_PART.lastIndex = at
    const [part, amount, unit] = DURATION_PART.exec(text) ?? []
    if (part === undefined || unit === undefined) return undefined
    ms += Number(amount) * (UNIT_MS[unit] ?? 0)
    at += part.length
  }
  return ms <= MAX_DURATION_MS ? new RuleDuration(isNegative ? -ms : ms) : undefined
}

/** Parses an instant of RFC 3339. Undefined for any other text. */
export function findTimestamp(text: string): Date | undefined {
  const ms = text.length > MAX_TIME_LENGTH ? undefined : parseDatetime(text)
  const time = ms === undefined ? undefined : checkedTime(ms)
  return time instanceof Date ? time : undefined
}

const not = (target: string, value: RuleValue) => new OperatorFault(`${target}(${typeOf(value)}) is not possible`)
const unreadable = (target: string) => new OperatorFault(`the text is no ${target}`)

const toInt: Conversion = (value) => {
  if (typeof value === 'bigint') return value
  if (value instanceof Date) return BigInt(Math.floor(value.getTime() / 1000))
  if (value instanceof RuleDouble)
    return Math.abs(value.value) < 2 ** 63 ? BigInt(Math.trunc(value.value)) : unreadable('int')
  if (typeof value !== 'string') return not('int', value)
  return /^[+-]?\d{1,19}$/.test(value) ? checkedInt(BigInt(value.replace('+', ''))) : unreadable('int')
}

const toDouble: Conversion = (value) => {
  if (value instanceof RuleDouble) return value
  if (typeof value === 'bigint') return new RuleDouble(Number(value))
  if (typeof value !== 'string') return not('double', value)
  const isNumber = value.length <= 64 && /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/.test(value)
  return isNumber ? new RuleDouble(Number(value)) : unreadable('double')
}

const BOOLS: ReadonlyMap<string, boolean> = new Map([
  ...['1', 't', 'true', 'TRUE', 'True'].map((text) => [text, true] as const),
  ...['0', 'f', 'false', 'FALSE', 'False'].map((text) => [text, false] as const),
])

const toBool: Conversion = (value) => {
  if (typeof value === 'boolean') return value
  if (typeof value !== 'string') return not('bool', value)
  return BOOLS.get(value) ?? unreadable('bool')
}

const toText: Conversion = (value) => {
  if (typeof value === 'string') return value
  if (typeof value === 'bigint' || typeof value === 'boolean') return String(value)
  if (value instanceof RuleDouble) return String(value.value)
  if (value instanceof Date) return value.toISOString().replace('.000Z', 'Z')
  if (value instanceof RuleDuration) return `${value.ms / 1000}s`
  return not('string', value)
}

const toTimestamp: Conversion = (value) => {
  if (value instanceof Date) return value
  if (typeof value === 'bigint') return checkedTime(Number(value) * 1000)
  if (typeof value !== 'string') return not('timestamp', value)
  return findTimestamp(value) ?? unreadable('timestamp of RFC 3339')
}

const toDuration: Conversion = (value) => {
  if (value instanceof RuleDuration) return value
  if (typeof value !== 'string') return not('duration', value)
  return findDuration(value) ?? unreadable('duration such as 1h30m')
}

/** Conversions between types, by the name of the type. */
export const CONVERSIONS: Readonly<Record<string, Conversion>> = {
  int: toInt,
  double: toDouble,
  bool: toBool,
  string: toText,
  timestamp: toTimestamp,
  duration: toDuration,
}
