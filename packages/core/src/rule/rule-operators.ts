import type { RuleRun } from './rule-run.ts'
import {
  isRuleList,
  isRuleMap,
  memberOf,
  RuleDouble,
  RuleDuration,
  type RuleElement,
  type RuleMap,
  type RuleValue,
  toRuleValue,
  typeOf,
} from './rule-value.ts'

/** Why an operator or a function has no value. The caller adds the position. */
export class OperatorFault {
  readonly message: string

  constructor(message: string) {
    this.message = message
  }
}

type BinaryOperator = (left: RuleValue, right: RuleValue, run: RuleRun) => RuleValue | OperatorFault

const MIN_INT = -(2n ** 63n)
const MAX_INT = 2n ** 63n - 1n
/** CEL knows the years 1 to 9999. */
const EARLIEST_MS = -62_135_596_800_000
const LATEST_MS = 253_402_300_799_999

/** 2^63 nanoseconds, about 292 years. */
const MAX_DIFFERENCE_MS = 9_223_372_036_854

const OVERFLOW = new OperatorFault('the number is too large for an int')
const OUT_OF_CALENDAR = new OperatorFault('the time is outside of the years 1 to 9999')
const TOO_LONG = new OperatorFault('the duration is longer than 292 years')
const ZERO = new OperatorFault('an int is divided by zero')

/** An int, which has 64 bits. */
export function checkedInt(value: bigint): bigint | OperatorFault {
  return value >= MIN_INT && value <= MAX_INT ? value : OVERFLOW
}

/** A timestamp of the years 1 to 9999. */
export function checkedTime(ms: number): Date | OperatorFault {
  return ms >= EARLIEST_MS && ms <= LATEST_MS ? new Date(ms) : OUT_OF_CALENDAR
}

function checkedDuration(ms: number): RuleDuration | OperatorFault {
  return Math.abs(ms) <= MAX_DIFFERENCE_MS ? new RuleDuration(ms) : TOO_LONG
}

const noOverload = (operator: string, left: RuleValue, right: RuleValue) =>
  new OperatorFault(`${typeOf(left)} ${operator} ${typeOf(right)} is not possible`)

interface Arithmetic {
  readonly int: (left: bigint, right: bigint) => bigint | OperatorFault
  readonly double?: (left: number, right: number) => number
}

const ARITHMETIC: Readonly<Record<string, Arithmetic>> = {
  '+': { int: (left, right) => checkedInt(left + right), double: (left, right) => left + right },
  '-': { int: (left, right) => checkedInt(left - right), double: (left, right) => left - right },
  '*': { int: (left, right) => checkedInt(left * right), double: (left, right) => left * right },
  '/': {
    int: (left, right) => (right === 0n ? ZERO : checkedInt(left / right)),
    double: (left, right) => left / right,
  },
  '%': { int: (left, right) => (right === 0n ? ZERO : left % right) },
}

const arithmetic =
  (operator: string, otherwise: BinaryOperator): BinaryOperator =>
  (left, right, run) => {
    const { int, double } = ARITHMETIC[operator] as Arithmetic
    if (typeof left === 'bigint' && typeof right === 'bigint') return int(left, right)
    if (double && left instanceof RuleDouble && right instanceof RuleDouble)
      return new RuleDouble(double(left.value, right.value))
    return otherwise(left, right, run)
  }

const refuse =
  (operator: string): BinaryOperator =>
  (left, right) =>
    noOverload(operator, left, right)

const add: BinaryOperator = (left, right, run) => {
  if (typeof left === 'string' && typeof right === 'string') {
    run.spendText(left.length + right.length)
    return left + right
  }
  if (isRuleList(left) && isRuleList(right)) return run.spend(left.length + right.length) ? [...left, ...right] : []
  if (left instanceof RuleDuration && right instanceof RuleDuration) return checkedDuration(left.ms + right.ms)
  if (left instanceof Date && right instanceof RuleDuration) return checkedTime(left.getTime() + right.ms)
  if (left instanceof RuleDuration && right instanceof Date) return checkedTime(left.ms + right.getTime())
  return noOverload('+', left, right)
}

const subtract: BinaryOperator = (left, right) => {
  if (left instanceof Date && right instanceof Date) return checkedDuration(left.getTime() - right.getTime())
  if (left instanceof Date && right instanceof RuleDuration) return checkedTime(left.getTime() - right.ms)
  if (left instanceof RuleDuration && right instanceof RuleDuration) return checkedDuration(left.ms - right.ms)
  return noOverload('-', left, right)
}

/** Whether two values are equal. Ints and doubles compare by value; values of other different types are unequal. */
export function areEqual(left: RuleElement, right: RuleElement, run: RuleRun): boolean {
  return isSame(toRuleValue(left), toRuleValue(right), run)
}

function isSame(left: RuleValue, right: RuleValue, run: RuleRun): boolean {
  // An overspent run fails as a whole, so that its values do not matter.
  if (!run.spend(1)) return false
  if (typeof left === 'string') return left === right && run.spendText(left.length)
  if (left instanceof RuleDouble) return isSameNumber(left, right)
  if (left instanceof Date) return right instanceof Date && left.getTime() === right.getTime()
  if (left instanceof RuleDuration) return right instanceof RuleDuration && left.ms === right.ms
  if (isRuleList(left)) return isRuleList(right) && areSameLists(left, right, run)
  if (isRuleMap(left)) return isRuleMap(right) && areSameMaps(left, right, run)
  return typeof left === 'bigint' && right instanceof RuleDouble ? isSameNumber(right, left) : left === right
}

// Of a bigint and a number, `==` compares the exact values.
function isSameNumber({ value }: RuleDouble, other: RuleValue): boolean {
  if (other instanceof RuleDouble) return value === other.value
  // biome-ignore lint/suspicious/noDoubleEquals: only == compares a bigint with a number
  return typeof other === 'bigint' && other == (value as unknown as bigint)
}

function areSameLists(left: readonly RuleElement[], right: readonly RuleElement[], run: RuleRun): boolean {
  return left.length === right.length && left.every((element, index) => areEqual(element, right[index] ?? null, run))
}

function areSameMaps(left: RuleMap, right: RuleMap, run: RuleRun): boolean {
  const names = Object.keys(left)
  if (!run.spend(names.length) || names.length !== Object.keys(right).length) return false
  return names.every((name) => {
    const other = memberOf(right, name)
    return other !== undefined && areEqual(left[name] ?? null, other, run)
  })
}

/** Less than, equal or greater than 0; NaN when a double is none; undefined for types without an order. */
function compare(left: RuleValue, right: RuleValue, run: RuleRun): number | undefined {
  if (typeof left === 'string' && typeof right === 'string') {
    run.spendText(Math.min(left.length, right.length))
    return compareTexts(left, right)
  }
  if (isNumber(left) && isNumber(right)) return compareNumbers(left, right)
  if (typeof left === 'boolean' && typeof right === 'boolean') return Number(left) - Number(right)
  if (left instanceof Date && right instanceof Date) return left.getTime() - right.getTime()
  if (left instanceof RuleDuration && right instanceof RuleDuration) return left.ms - right.ms
  return undefined
}

const isNumber = (value: RuleValue): value is bigint | RuleDouble =>
  typeof value === 'bigint' || value instanceof RuleDouble

function compareNumbers(left: bigint | RuleDouble, right: bigint | RuleDouble): number {
  const a = left instanceof RuleDouble ? left.value : left
  const b = right instanceof RuleDouble ? right.value : right
  return a < b ? -1 : a > b ? 1 : Number.isNaN(a) || Number.isNaN(b) ? Number.NaN : 0
}

/** By code points: surrogates, which stand for the highest ones, are not the highest code units. */
function compareTexts(left: string, right: string): number {
  if (left === right) return 0
  let at = 0
  while (at < left.length && left.charCodeAt(at) === right.charCodeAt(at)) at += 1
  return rank(left.charCodeAt(at)) - rank(right.charCodeAt(at))
}

/** The end of a text (NaN) comes first. */
const rank = (unit: number): number =>
  Number.isNaN(unit) ? -1 : unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit

const order =
  (operator: string, holds: (order: number) => boolean): BinaryOperator =>
  (left, right, run) => {
    const compared = compare(left, right, run)
    return compared === undefined ? noOverload(operator, left, right) : holds(compared)
  }

const contains: BinaryOperator = (left, right, run) => {
  if (isRuleList(right)) return right.some((element) => areEqual(left, element, run))
  if (isRuleMap(right)) return typeof left === 'string' && memberOf(right, left) !== undefined
  return noOverload('in', left, right)
}

export const BINARY_OPERATORS: Readonly<Record<string, BinaryOperator>> = {
  '==': areEqual,
  '!=': (left, right, run) => !areEqual(left, right, run),
  '<': order('<', (compared) => compared < 0),
  '<=': order('<=', (compared) => compared <= 0),
  '>': order('>', (compared) => compared > 0),
  '>=': order('>=', (compared) => compared >= 0),
  in: contains,
  '+': arithmetic('+', add),
  '-': arithmetic('-', subtract),
  '*': arithmetic('*', refuse('*')),
  '/': arithmetic('/', refuse('/')),
  '%': arithmetic('%', refuse('%')),
}

/** The value of `-value`. */
export function negated(value: RuleValue): RuleValue | OperatorFault {
  if (typeof value === 'bigint') return checkedInt(-value)
  return value instanceof RuleDouble
    ? new RuleDouble(-value.value)
    : new OperatorFault(`-${typeOf(value)} is not possible`)
}
