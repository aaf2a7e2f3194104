import { type JsonObject, type JsonValue, newJsonObject } from '../json/json-value.ts'

/** A double. Numbers of JSON become one when they have a fraction or are too large for an exact integer. */
export class RuleDouble {
  readonly value: number

  constructor(value: number) {
    this.value = value
  }
}

/** A length of time in milliseconds. */
export class RuleDuration {
  readonly ms: number

  constructor(ms: number) {
    this.ms = ms
  }
}

/** An element of a list or map: what a rule computed, or a part of the claims as it was parsed. */
export type RuleElement = RuleValue | number

export interface RuleMap {
  readonly [name: string]: RuleElement
}

/** A value of a rule. An int is a `bigint`, a timestamp a `Date`. */
export type RuleValue =
  | null
  | boolean
  | bigint
  | string
  | RuleDouble
  | Date
  | RuleDuration
  | readonly RuleElement[]
  | RuleMap

/** Converts a number of JSON, which has one type of number, to an int where that is exact. */
export function toRuleValue(element: RuleElement): RuleValue {
  if (typeof element !== 'number') return element
  return Number.isSafeInteger(element) ? BigInt(element) : new RuleDouble(element)
}

export function isRuleList(value: RuleElement): value is readonly RuleElement[] {
  return Array.isArray(value)
}

export function isRuleMap(value: RuleElement): value is RuleMap {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    !(value instanceof RuleDouble || value instanceof RuleDuration || value instanceof Date)
  )
}

/** The member of a map by its own name; undefined when the map has none. */
export function memberOf(map: RuleMap, name: string): RuleValue | undefined {
  const element = Object.hasOwn(map, name) ? map[name] : undefined
  return element === undefined ? undefined : toRuleValue(element)
}

/** The name of a value's type, for error texts. */
export function typeOf(value: RuleValue): string {
  if (value === null) return 'null'
  if (typeof value === 'bigint') return 'int'
  if (typeof value === 'boolean') return 'bool'
  if (typeof value === 'string') return 'string'
  if (value instanceof RuleDouble) return 'double'
  if (value instanceof Date) return 'timestamp'
  if (value instanceof RuleDuration) return 'duration'
  return isRuleList(value) ? 'list' : 'map'
}

/** The value as JSON, for explanations. */
export function toJson(element: RuleElement): JsonValue {
  if (typeof element === 'bigint') return Number(element)
  if (element instanceof RuleDouble) return element.value
  if (element instanceof Date) return element.toISOString()
  if (element instanceof RuleDuration) return `${element.ms / 1000}s`
  if (isRuleList(element)) return element.map(toJson)
  if (!isRuleMap(element)) return element
  const object: JsonObject = newJsonObject()
  for (const [name, value] of Object.entries(element)) object[name] = toJson(value)
  return object
}
