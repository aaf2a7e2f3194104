import { AppError } from '../app-error.ts'
import { checkText, type FilterErrorCode, lex, type Token, unexpectedSymbol } from './lex.ts'

/** The position of a parser in a text. Tokens are read on demand, so that parsing stops at the first error. */
export interface TokenCursor {
  readonly text: string
  readonly code: FilterErrorCode
  readonly tokens: Token[]
  at: number
}

/** Throws with the given code when the text is too long or contains characters that databases do not store. */
export function createTokenCursor(text: string, code: FilterErrorCode, maxBytes: number): TokenCursor {
  checkText(text, code, maxBytes)
  return { text, code, tokens: [], at: 0 }
}

export function peek(cursor: TokenCursor, ahead = 0): Token {
  const { text, code, tokens, at } = cursor
  for (;;) {
    const known = tokens[at + ahead]
    if (known !== undefined) return known
    tokens.push(lex(text, tokens.at(-1)?.end ?? 0, code))
  }
}

export function take(cursor: TokenCursor): Token {
  const token = peek(cursor)
  cursor.at++
  return token
}

export function unexpected(cursor: TokenCursor, token: Token = peek(cursor)): AppError {
  return unexpectedSymbol(cursor.text, token.start, token.text, cursor.code)
}

export function refusal(cursor: TokenCursor, message: string): AppError {
  return new AppError(cursor.code, { message })
}

export function isMark(cursor: TokenCursor, mark: string): boolean {
  const token = peek(cursor)
  return token.kind === 'mark' && token.value === mark
}

export function takeMark(cursor: TokenCursor, mark: string): boolean {
  if (!isMark(cursor, mark)) return false
  cursor.at++
  return true
}

export function expectMark(cursor: TokenCursor, mark: string): void {
  if (!takeMark(cursor, mark)) throw unexpected(cursor)
}

export function isKeyword(cursor: TokenCursor, keyword: string, ahead = 0): boolean {
  return peek(cursor, ahead).keyword === keyword
}

/** Takes a word operator between two operands, which needs white space on both sides. */
export function takeInfix(cursor: TokenCursor, keyword: string): boolean {
  if (!isKeyword(cursor, keyword)) return false
  if (!peek(cursor).isSpaced) throw unexpected(cursor)
  return takePrefix(cursor, keyword)
}

/** Takes a word operator before its operand, which needs white space after it. */
export function takePrefix(cursor: TokenCursor, keyword: string): boolean {
  if (!isKeyword(cursor, keyword)) return false
  cursor.at++
  if (!peek(cursor).isSpaced) throw unexpected(cursor)
  return true
}

/** Takes a symbol. Throws when there is none. */
export function takeSymbol(cursor: TokenCursor): string {
  const token = peek(cursor)
  if (token.kind !== 'word') throw unexpected(cursor)
  cursor.at++
  return String(token.value)
}
