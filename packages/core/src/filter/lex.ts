import { AppError, echoedValue } from '../app-error.ts'
import { isDigit, isLetter } from './character.ts'
import { parseDatetime } from './parse-datetime.ts'

export type FilterErrorCode = 'INVALID_FILTER' | 'INVALID_SORT_IDENTIFIER'

interface Scanned {
  readonly kind: 'word' | 'string' | 'number' | 'datetime' | 'mark' | 'end'
  /** The unescaped string, the number, the instant, or the symbol without its quotes. */
  readonly value: string | number
  /** The lower-cased word when it can be a keyword, otherwise empty. */
  readonly keyword: string
  readonly end: number
}

export interface Token extends Scanned {
  readonly start: number
  /** The token as it was written. */
  readonly text: string
  /** Whether the token is preceded by white space or by the start of the text. */
  readonly isSpaced: boolean
}

const SPACES = ' \t\r\n'
const MARKS = ['!=', '<=', '>=', '=', '<', '>', '(', ')', '[', ']', ',']
const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['"', '"'],
  ['\\', '\\'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
])
const DATETIME_MAX_CHARACTERS = 64

/**
 * Throws with the given code when the text is too long, or contains a NUL or a lone surrogate, which databases do not
 * store.
 */
export function checkText(text: string, code: FilterErrorCode, maxBytes: number): void {
  if (text.length > maxBytes || new TextEncoder().encode(text).length > maxBytes) {
    throw new AppError(code, { message: `the text is longer than ${maxBytes} bytes` })
  }
  if (text.includes('\0') || !text.isWellFormed()) {
    throw new AppError(code, { message: 'the text contains characters that are not allowed' })
  }
}

/**
 * Reads the next token at or after `from`; its kind is `end` at the end of the text. Throws with the given code for an
 * unknown character or an unterminated string.
 */
export function lex(text: string, from: number, code: FilterErrorCode): Token {
  let start = from
  while (start < text.length && SPACES.includes(text.charAt(start))) start++
  const scanned = scan(text, start)
  if (scanned === undefined) {
    throw unexpectedSymbol(text, start, String.fromCodePoint(text.codePointAt(start) ?? 0), code)
  }
  const written = scanned.kind === 'end' ? '<EOF>' : text.slice(start, scanned.end)
  return { ...scanned, start, text: written, isSpaced: start > from || start === 0 }
}

/** The error for an unexpected symbol. Lines count from 1, columns from 0. */
export function unexpectedSymbol(text: string, start: number, symbol: string, code: FilterErrorCode): AppError {
  const before = text.slice(0, start)
  const line = before.split('\n').length
  const column = start - (before.lastIndexOf('\n') + 1)
  const shown = echoedValue(symbol)
  return new AppError(code, {
    message: `Unexpected symbol: "${shown}" at line: ${line} column: ${column}. line: ${line}, column: ${column}, symbol: ${shown}`,
  })
}

function scan(text: string, start: number): Scanned | undefined {
  const first = text[start]
  if (first === undefined) return { kind: 'end', value: '', keyword: '', end: start }
  if (first === '"') return scanString(text, start)
  if (first === "'") return scanQuotedSymbol(text, start)
  if (isDigit(first) || first === '-') return scanNumber(text, start)
  if (isLetter(first)) return scanWord(text, start)
  const mark = MARKS.find((candidate) => text.startsWith(candidate, start))
  return mark === undefined ? undefined : { kind: 'mark', value: mark, keyword: '', end: start + mark.length }
}

function scanString(text: string, start: number): Scanned | undefined {
  let value = ''
  let at = start + 1
  while (at < text.length && text[at] !== '"') {
    if (text[at] === '\\') {
      const unescaped = ESCAPES.get(text.charAt(++at))
      if (unescaped === undefined) return undefined
      value += unescaped
    } else value += text[at]
    at++
  }
  return at < text.length ? { kind: 'string', value, keyword: '', end: at + 1 } : undefined
}

function scanQuotedSymbol(text: string, start: number): Scanned | undefined {
  if (!isLetter(text[start + 1])) return undefined
  const end = symbolEnd(text, start + 1)
  if (text[end] !== "'") return undefined
  return { kind: 'word', value: text.slice(start + 1, end), keyword: '', end: end + 1 }
}

function scanWord(text: string, start: number): Scanned | undefined {
  const end = symbolEnd(text, start)
  const value = text.slice(start, end)
  if (value === 'datetime' && text[end] === '(') return scanDatetime(text, end + 1)
  return { kind: 'word', value, keyword: value.toLowerCase(), end }
}

function scanDatetime(text: string, start: number): Scanned | undefined {
  const close = text.slice(start, start + DATETIME_MAX_CHARACTERS).indexOf(')')
  const value = close < 0 ? undefined : parseDatetime(text.slice(start, start + close).trim())
  return value === undefined ? undefined : { kind: 'datetime', value, keyword: '', end: start + close + 1 }
}

function scanNumber(text: string, start: number): Scanned | undefined {
  const whole = text[start] === '-' ? start + 1 : start
  let end = digitsEnd(text, whole)
  if (end === whole) return undefined
  if (text[end] === '.' && isDigit(text[end + 1])) end = digitsEnd(text, end + 1)
  if (text[end] === 'e' || text[end] === 'E') {
    const exponent = text[end + 1] === '+' || text[end + 1] === '-' ? end + 2 : end + 1
    if (isDigit(text[exponent])) end = digitsEnd(text, exponent)
  }
  const value = Number(text.slice(start, end))
  return Number.isFinite(value) ? { kind: 'number', value, keyword: '', end } : undefined
}

/** Letters and underscores, then parts after dots, which may also contain hyphens. Symbols have no digits. */
function symbolEnd(text: string, start: number): number {
  let end = start
  while (isLetter(text[end])) end++
  while (text[end] === '.' && isKeyCharacter(text[end + 1])) {
    end++
    while (isKeyCharacter(text[end])) end++
  }
  return end
}

function digitsEnd(text: string, start: number): number {
  let end = start
  while (isDigit(text[end])) end++
  return end
}

function isKeyCharacter(character: string | undefined): boolean {
  return isLetter(character) || character === '-'
}
