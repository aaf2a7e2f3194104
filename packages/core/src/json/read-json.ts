import { JsonError } from './json-error.ts'
import { isJsonObject, type JsonObject, type JsonValue, newJsonObject } from './json-value.ts'
import { wellFormedText } from './well-formed-text.ts'

export interface JsonLimits {
  /** Nesting of arrays and objects; a scalar has depth 0. At most 512, because the reader recurses. */
  readonly maxDepth: number
  /** Object members and array elements in the whole text. */
  readonly maxMembers: number
  /** UTF-16 units of one name or string, after unescaping. */
  readonly maxStringLength?: number
  /** Reads an integer beyond 2^53 - 1 as NaN instead of refusing the text. For documents of third parties, of which only some members are used. */
  readonly largeIntegersAsNaN?: boolean
  /** Refuses a member `__proto__`, and a member `constructor` whose value has a member `prototype`. */
  readonly refusePrototypeNames?: boolean
}

/**
 * Parses one RFC 8259 value. Stricter than `JSON.parse`: valid UTF-8 without byte order mark, no duplicate names, no lone surrogates, no number
 * that overflows, no integer beyond 2^53 - 1 (ids are never rounded), and everything within `limits`.
 * @throws {JsonError} for any other text
 */
export function readJson(source: Buffer | string, limits: JsonLimits): JsonValue {
  if (!(limits.maxDepth <= MAX_RECURSION)) throw new TypeError(`maxDepth must be at most ${MAX_RECURSION}`)
  return new JsonReader(wellFormedText(source), limits).readDocument()
}

const MAX_RECURSION = 512
const MAX_QUOTED_NAME = 64

const TAB = 0x09
const LINE_FEED = 0x0a
const CARRIAGE_RETURN = 0x0d
const SPACE = 0x20
const QUOTE = 0x22
const PLUS = 0x2b
const COMMA = 0x2c
const MINUS = 0x2d
const POINT = 0x2e
const ZERO = 0x30
const NINE = 0x39
const COLON = 0x3a
const UPPER_E = 0x45
const OPEN_BRACKET = 0x5b
const BACKSLASH = 0x5c
const CLOSE_BRACKET = 0x5d
const LOWER_E = 0x65
const LOWER_U = 0x75
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d

const ESCAPES = new Map<number, string>([
  [QUOTE, '"'],
  [BACKSLASH, '\\'],
  [0x2f, '/'],
  [0x62, '\b'],
  [0x66, '\f'],
  [0x6e, '\n'],
  [0x72, '\r'],
  [0x74, '\t'],
])

const LITERALS = new Map<number, { text: string; value: boolean | null }>([
  [0x74, { text: 'true', value: true }],
  [0x66, { text: 'false', value: false }],
  [0x6e, { text: 'null', value: null }],
])

const isDigit = (unit: number): boolean => unit >= ZERO && unit <= NINE
const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff
const isLowSurrogate = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff

function hexDigit(unit: number): number {
  if (isDigit(unit)) return unit - ZERO
  const lower = unit | 0x20
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1
}

class JsonReader {
  readonly text: string
  readonly maxDepth: number
  readonly maxStringLength: number
  readonly refusePrototypeNames: boolean
  readonly largeIntegersAsNaN: boolean
  membersLeft: number
  at = 0

  constructor(text: string, limits: JsonLimits) {
    this.text = text
    this.maxDepth = limits.maxDepth
    this.maxStringLength = limits.maxStringLength ?? Number.POSITIVE_INFINITY
    this.refusePrototypeNames = limits.refusePrototypeNames ?? false
    this.largeIntegersAsNaN = limits.largeIntegersAsNaN ?? false
    this.membersLeft = limits.maxMembers
  }

  fail(reason: string, position = this.at): never {
    throw new JsonError(position >= this.text.length ? `${reason}, but the text ends` : reason, this.text, position)
  }

  readDocument(): JsonValue {
    const value = this.readValue(this.skipSpace(), 0)
    this.skipSpace()
    if (this.at < this.text.length) this.fail('expected nothing after the value')
    return value
  }

  /** Returns the next UTF-16 unit that is not white space; NaN at the end. */
  skipSpace(): number {
    let unit = this.text.charCodeAt(this.at)
    while (unit === SPACE || unit === LINE_FEED || unit === CARRIAGE_RETURN || unit === TAB) {
      this.at += 1
      unit = this.text.charCodeAt(this.at)
    }
    return unit
  }

  readValue(unit: number, depth: number): JsonValue {
    if (unit === QUOTE) return this.readString()
    if (unit === OPEN_BRACE) return this.readObject(depth + 1)
    if (unit === OPEN_BRACKET) return this.readArray(depth + 1)
    if (unit === MINUS || isDigit(unit)) return this.readNumber()
    const literal = LITERALS.get(unit)
    if (literal === undefined || !this.text.startsWith(literal.text, this.at)) this.fail('expected a value')
    this.at += literal.text.length
    return literal.value
  }

  enter(depth: number): void {
    if (depth > this.maxDepth) this.fail(`more than ${this.maxDepth} levels deep`)
    this.at += 1
  }

  countMember(): void {
    this.membersLeft -= 1
    if (this.membersLeft < 0) this.fail('too many members')
  }

  readArray(depth: number): JsonValue[] {
    this.enter(depth)
    const array: JsonValue[] = []
    let unit = this.skipSpace()
    if (unit === CLOSE_BRACKET) {
      this.at += 1
      return array
    }
    for (;;) {
      this.countMember()
      array.push(this.readValue(unit, depth))
      unit = this.skipSpace()
      if (unit !== COMMA && unit !== CLOSE_BRACKET) this.fail('expected "," or "]"')
      this.at += 1
      if (unit === CLOSE_BRACKET) return array
      unit = this.skipSpace()
    }
  }

  readObject(depth: number): JsonObject {
    this.enter(depth)
    const object = newJsonObject()
    let unit = this.skipSpace()
    if (unit === CLOSE_BRACE) {
      this.at += 1
      return object
    }
    for (;;) {
      this.countMember()
      if (unit !== QUOTE) this.fail('expected a name in double quotes')
      const start = this.at
      const name = this.readString()
      if (object[name] !== undefined)
        this.fail(`the name ${JSON.stringify(name.slice(0, MAX_QUOTED_NAME))} appears twice`, start)
      if (this.skipSpace() !== COLON) this.fail('expected ":"')
      this.at += 1
      const value = this.readValue(this.skipSpace(), depth)
      if (this.refusePrototypeNames && touchesPrototype(name, value)) this.fail('a member name is not allowed', start)
      object[name] = value
      unit = this.skipSpace()
      if (unit !== COMMA && unit !== CLOSE_BRACE) this.fail('expected "," or "}"')
      this.at += 1
      if (unit === CLOSE_BRACE) return object
      unit = this.skipSpace()
    }
  }

  readString(): string {
    const { text } = this
    const start = this.at + 1
    let at = start
    let unit = text.charCodeAt(at)
    while (unit !== QUOTE && unit !== BACKSLASH && unit >= SPACE) {
      at += 1
      unit = text.charCodeAt(at)
    }
    this.at = at
    const value = unit === QUOTE ? text.slice(start, at) : this.readEscapedString(start)
    if (value.length > this.maxStringLength) this.fail(`a string is longer than ${this.maxStringLength}`, start - 1)
    this.at += 1
    return value
  }

  /** Continues after the unescaped run that begins at `start`. Leaves `at` on the closing quote. */
  readEscapedString(start: number): string {
    const { text } = this
    let value = ''
    let runStart = start
    for (;;) {
      const unit = text.charCodeAt(this.at)
      if (unit === QUOTE) return value + text.slice(runStart, this.at)
      if (unit === BACKSLASH) {
        value += text.slice(runStart, this.at) + this.readEscape()
        runStart = this.at
      } else if (unit >= SPACE) {
        this.at += 1
      } else {
        this.fail(unit < SPACE ? 'a control character in a string must be escaped' : 'expected the end of a string')
      }
    }
  }

  readEscape(): string {
    const start = this.at
    const unit = this.text.charCodeAt(start + 1)
    if (unit !== LOWER_U) {
      const plain = ESCAPES.get(unit)
      if (plain === undefined) this.fail('not an escape of JSON')
      this.at += 2
      return plain
    }
    const first = this.readUnicodeEscape()
    if (isLowSurrogate(first)) this.fail('a lone surrogate', start)
    if (!isHighSurrogate(first)) return String.fromCharCode(first)
    const escaped = this.text.charCodeAt(this.at) === BACKSLASH && this.text.charCodeAt(this.at + 1) === LOWER_U
    const second = escaped ? this.readUnicodeEscape() : 0
    if (!isLowSurrogate(second)) this.fail('a lone surrogate', start)
    return String.fromCharCode(first, second)
  }

  readUnicodeEscape(): number {
    let value = 0
    for (let digit = 2; digit < 6; digit += 1) {
      const nibble = hexDigit(this.text.charCodeAt(this.at + digit))
      if (nibble < 0) this.fail('expected four hexadecimal digits')
      value = value * 16 + nibble
    }
    this.at += 6
    return value
  }

  readNumber(): number {
    const start = this.at
    if (this.text.charCodeAt(this.at) === MINUS) this.at += 1
    if (this.text.charCodeAt(this.at) === ZERO) this.at += 1
    else this.skipDigits()
    let whole = true
    if (this.text.charCodeAt(this.at) === POINT) {
      whole = false
      this.at += 1
      this.skipDigits()
    }
    const exponent = this.text.charCodeAt(this.at)
    if (exponent === LOWER_E || exponent === UPPER_E) {
      whole = false
      this.at += 1
      const sign = this.text.charCodeAt(this.at)
      if (sign === PLUS || sign === MINUS) this.at += 1
      this.skipDigits()
    }
    const value = Number(this.text.slice(start, this.at))
    if (!Number.isFinite(value)) this.fail('a number is too large', start)
    if (!whole || Number.isSafeInteger(value)) return value
    return this.largeIntegersAsNaN ? Number.NaN : this.fail('an integer is too large to be exact', start)
  }

  skipDigits(): void {
    const start = this.at
    while (isDigit(this.text.charCodeAt(this.at))) this.at += 1
    if (this.at === start) this.fail('expected a digit')
  }
}

function touchesPrototype(name: string, value: JsonValue): boolean {
  if (name === '__proto__') return true
  return name === 'constructor' && isJsonObject(value) && 'prototype' in value
}
