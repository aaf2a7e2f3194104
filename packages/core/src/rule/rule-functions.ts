import { type GlobMatcher, globMatcher, MAX_GLOB_TEXT_LENGTH } from '../claim/glob.ts'
import { createLruCache } from '../create-lru-cache.ts'
import { findAddressRange, isInRange } from './address-range.ts'
import { CONVERSIONS, findDuration, findTimestamp } from './rule-conversions.ts'
import { OperatorFault } from './rule-operators.ts'
import type { RuleRun } from './rule-run.ts'
import { isRuleList, isRuleMap, RuleDuration, type RuleElement, type RuleValue, typeOf } from './rule-value.ts'
import { findZoneOffset } from './time-zone.ts'

/** Checks a text that the rule itself contains. Returns why it is refused. */
export type LiteralCheck = (text: string) => string | undefined

/** A function of rules. The receiver of a method is the first argument. */
export interface RuleFunction {
  readonly minArguments: number
  readonly maxArguments: number
  /** By index: what is checked when the rule is saved, if it is a literal. */
  readonly literals?: Readonly<Record<number, LiteralCheck>>
  /** By index: arguments that must be literals, because preparing others takes too long. */
  readonly onlyLiterals?: readonly number[]
  call(args: readonly RuleValue[], run: RuleRun): RuleValue | OperatorFault
}

const MAX_PATTERN_LENGTH = 512
const PATTERN_ERROR = `the pattern has 1 to ${MAX_PATTERN_LENGTH} characters`
const TEXT_ERROR = `glob compares texts of up to ${MAX_GLOB_TEXT_LENGTH} characters`
const isTooLong = (text: RuleElement) => typeof text === 'string' && text.length > MAX_GLOB_TEXT_LENGTH
const CIDR_COST = 40
const RANGE_ERROR = 'the range is no CIDR block such as 10.0.0.0/8'

type Text<Count extends number> = Count extends 1 ? [string] : Count extends 2 ? [string, string] : never

/** A function of texts only. */
const ofTexts = <Count extends 1 | 2>(
  name: string,
  count: Count,
  call: (texts: Text<Count>, run: RuleRun) => RuleValue | OperatorFault,
  more: Pick<RuleFunction, 'literals'> = {},
): RuleFunction => ({
  minArguments: count,
  maxArguments: count,
  ...more,
  call: (args, run) =>
    args.every((argument) => typeof argument === 'string') ? call(args as Text<Count>, run) : mismatch(name, args),
})

const mismatch = (name: string, args: readonly RuleValue[]) =>
  new OperatorFault(`${name}(${args.map(typeOf).join(', ')}) is not possible`)

const patterns = createLruCache<string, GlobMatcher>(256)

function matcherOf(pattern: string, run: RuleRun): GlobMatcher {
  const known = patterns.get(pattern)
  if (known) return known
  run.spend(pattern.length)
  const matcher = globMatcher(pattern)
  patterns.set(pattern, matcher)
  return matcher
}

const patternError: LiteralCheck = (pattern) =>
  pattern === '' || pattern.length > MAX_PATTERN_LENGTH ? PATTERN_ERROR : undefined

/**
 * An array matches when one of its texts does, as in `requiredClaims`. A text that is too long to compare is an error: `!glob(…)` must not accept it.
 */
const glob: RuleFunction = {
  minArguments: 2,
  maxArguments: 2,
  literals: { 1: patternError },
  call([value = null, pattern = null], run) {
    const isUsable = typeof value === 'string' || isRuleList(value)
    if (!isUsable || typeof pattern !== 'string') return mismatch('glob', [value, pattern])
    if (patternError(pattern) !== undefined) return new OperatorFault(PATTERN_ERROR)
    const matches = matcherOf(pattern, run)
    const isMatch = (text: RuleElement) =>
      run.spend(2 + (typeof text === 'string' ? text.length / 2 : 0)) && typeof text === 'string' && matches(text)
    const texts = typeof value === 'string' ? [value] : value
    return texts.some(isMatch) || (texts.some(isTooLong) ? new OperatorFault(TEXT_ERROR) : false)
  },
}

/** What searching a text for another costs at most: the engine's search compares each with each in the worst case. */
const spendSearch = (text: string, part: string, run: RuleRun) =>
  run.spendText(text.length) && run.spend((text.length * part.length) / 256)

const size: RuleFunction = {
  minArguments: 1,
  maxArguments: 1,
  call([value = null], run) {
    if (typeof value === 'string') return run.spend(value.length / 16) ? BigInt(codePoints(value)) : 0n
    if (isRuleList(value)) return BigInt(value.length)
    if (!isRuleMap(value)) return mismatch('size', [value])
    const { length } = Object.keys(value)
    return run.spend(length) ? BigInt(length) : 0n
  },
}

function codePoints(text: string): number {
  let count = text.length
  for (let at = 0; at < text.length - 1; at += 1) {
    if (isHigh(text.charCodeAt(at)) && isLow(text.charCodeAt(at + 1))) count -= 1
  }
  return count
}
const isHigh = (unit: number) => unit >= 0xd800 && unit <= 0xdbff
const isLow = (unit: number) => unit >= 0xdc00 && unit <= 0xdfff

/** Counts characters as `size` does. */
const substring: RuleFunction = {
  minArguments: 2,
  maxArguments: 3,
  call([text = null, start = null, end], run) {
    if (typeof text !== 'string' || typeof start !== 'bigint' || (end !== undefined && typeof end !== 'bigint'))
      return mismatch('substring', [text, start, ...(end === undefined ? [] : [end])])
    if (!run.spend(text.length / 8)) return ''
    const characters = [...text]
    const until = end ?? BigInt(characters.length)
    const isInside = start >= 0n && start <= until && until <= BigInt(characters.length)
    return isInside
      ? characters.slice(Number(start), Number(until)).join('')
      : new OperatorFault('substring is out of range')
  },
}

const join: RuleFunction = {
  minArguments: 1,
  maxArguments: 2,
  call([list = null, separator = ''], run) {
    if (!isRuleList(list) || typeof separator !== 'string') return mismatch('join', [list, separator])
    if (!run.spend(list.length)) return ''
    if (!list.every((text) => typeof text === 'string')) return new OperatorFault('join needs a list of strings')
    const length = list.reduce((sum, text) => sum + text.length + separator.length, 0)
    return run.spendText(length) ? list.join(separator) : ''
  },
}

const inCidr = ofTexts(
  'inCidr',
  2,
  ([address, cidr], run) => {
    run.spend(CIDR_COST)
    const range = findAddressRange(cidr)
    if (!range) return new OperatorFault(RANGE_ERROR)
    return isInRange(address, range) ?? new OperatorFault('the text is no IP address')
  },
  { literals: { 1: (cidr) => (findAddressRange(cidr) ? undefined : RANGE_ERROR) } },
)

const domain = ofTexts('domain', 1, ([email], run) => {
  run.spendText(email.length)
  const [local = '', host, ...more] = email.split('@', 3)
  const isAddress = local !== '' && host !== undefined && host !== '' && more.length === 0
  return isAddress ? host : new OperatorFault('domain needs a text with exactly one @ between other characters')
})

const split = ofTexts('split', 2, ([text, separator], run) => {
  if (!spendSearch(text, separator, run) || !run.spend(text.length / 4)) return []
  return separator === '' ? [...text] : text.split(separator)
})

/** Each second letter may begin a part that is changed. */
const ascii = (text: string, run: RuleRun, letters: RegExp, change: (letter: string) => string) =>
  run.spend(1 + text.length / 4) ? text.replace(letters, change) : ''

const CONVERSION_COST = 10

const conversion = (name: string, literals: RuleFunction['literals'] = {}): RuleFunction => ({
  minArguments: 1,
  maxArguments: 1,
  literals,
  call: ([value = null], run) => (run.spend(CONVERSION_COST) ? (CONVERSIONS[name]?.(value) ?? null) : null),
})

/** Functions that are called as `name(value)`. */
export const FUNCTIONS: Readonly<Record<string, RuleFunction>> = {
  glob,
  domain,
  inCidr,
  lower: ofTexts('lower', 1, ([text], run) => (run.spendText(text.length * 4) ? text.toLowerCase() : '')),
  size,
  int: conversion('int'),
  double: conversion('double'),
  bool: conversion('bool'),
  string: conversion('string'),
  timestamp: conversion('timestamp', {
    0: (text) => (findTimestamp(text) ? undefined : 'the text is no timestamp of RFC 3339'),
  }),
  duration: conversion('duration', {
    0: (text) => (findDuration(text) ? undefined : 'the text is no duration such as 1h30m'),
  }),
}

const DAY_MS = 86_400_000

/** Parts of a timestamp, whose UTC methods give the local time. */
const TIME_PARTS: Readonly<Record<string, (time: Date) => number>> = {
  getFullYear: (time) => time.getUTCFullYear(),
  getMonth: (time) => time.getUTCMonth(),
  getDate: (time) => time.getUTCDate(),
  getDayOfMonth: (time) => time.getUTCDate() - 1,
  getDayOfWeek: (time) => time.getUTCDay(),
  getDayOfYear: (time) => Math.floor((time.getTime() - yearStart(time)) / DAY_MS),
  getHours: (time) => time.getUTCHours(),
  getMinutes: (time) => time.getUTCMinutes(),
  getSeconds: (time) => time.getUTCSeconds(),
  getMilliseconds: (time) => time.getUTCMilliseconds(),
}

/** `Date.UTC` takes the years 0 to 99 as 1900 to 1999. */
function yearStart(time: Date): number {
  return new Date(0).setUTCFullYear(time.getUTCFullYear(), 0, 1)
}

const DURATION_PARTS: Readonly<Record<string, number>> = {
  getHours: 3_600_000,
  getMinutes: 60_000,
  getSeconds: 1_000,
  getMilliseconds: 1,
}

const ZONE_ERROR = 'the time zone is unknown'
const ZONE_COST = 200

const timePart = (name: string): RuleFunction => ({
  minArguments: 1,
  maxArguments: 2,
  literals: { 1: (zone) => (findZoneOffset(zone, new Date(0)) === undefined ? ZONE_ERROR : undefined) },
  onlyLiterals: [1],
  call([value = null, zone], run) {
    const unit = DURATION_PARTS[name]
    if (value instanceof RuleDuration && unit !== undefined && zone === undefined)
      return BigInt(Math.trunc(name === 'getMilliseconds' ? value.ms % 1000 : value.ms / unit))
    if (!(value instanceof Date)) return mismatch(name, [value])
    if (zone === undefined) return BigInt(TIME_PARTS[name]?.(value) ?? 0)
    run.spend(ZONE_COST)
    const offset = typeof zone === 'string' ? findZoneOffset(zone, value) : undefined
    if (offset === undefined) return new OperatorFault(ZONE_ERROR)
    return BigInt(TIME_PARTS[name]?.(new Date(value.getTime() + offset)) ?? 0)
  },
})

/** Functions that are called as `value.name()`. */
export const METHODS: Readonly<Record<string, RuleFunction>> = {
  size,
  startsWith: ofTexts('startsWith', 2, ([text, part], run) => run.spendText(part.length) && text.startsWith(part)),
  endsWith: ofTexts('endsWith', 2, ([text, part], run) => run.spendText(part.length) && text.endsWith(part)),
  contains: ofTexts('contains', 2, ([text, part], run) => spendSearch(text, part, run) && text.includes(part)),
  lowerAscii: ofTexts('lowerAscii', 1, ([text], run) => ascii(text, run, /[A-Z]+/g, (part) => part.toLowerCase())),
  upperAscii: ofTexts('upperAscii', 1, ([text], run) => ascii(text, run, /[a-z]+/g, (part) => part.toUpperCase())),
  trim: ofTexts('trim', 1, ([text], run) => (run.spendText(text.length) ? text.trim() : '')),
  split,
  substring,
  join,
  ...Object.fromEntries(Object.keys(TIME_PARTS).map((name) => [name, timePart(name)])),
}
