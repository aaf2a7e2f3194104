import { AppError } from '../app-error.ts'
import { checkText, type FilterErrorCode, lex, type Token, unexpectedSymbol } from './lex.ts'

/** A reading position in a text; what the parsers share. Tokens are read when they are asked for, so a refusal is early. */
export interface TokenCursor {
  readonly text: string
  readonly code: FilterErrorCode
  readonly tokens: Token[]
  at: number
}

/** Fails with the given code if the text is too long or holds what no database stores. */
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

/** Takes a word operator between two operands: white space on both sides is required. */
export function takeInfix(cursor: TokenCursor, keyword: string): boolean {
  if (!isKeyword(cursor, keyword)) return false
  if (!peek(cursor).spaced) throw unexpected(cursor)
  return takePrefix(cursor, keyword)
}

/** Takes a word operator before its operand: white space after it is required. */
export function takePrefix(cursor: TokenCursor, keyword: string): boolean {
  if (!isKeyword(cursor, keyword)) return false
  cursor.at++
  if (!peek(cursor).spaced) throw unexpected(cursor)
  return true
}

/** Takes a word that stands for a symbol, or refuses whatever else is there. */
export function takeSymbol(cursor: TokenCursor): string {
  const token = peek(cursor)
  if (token.kind !== 'word') throw unexpected(cursor)
  cursor.at++
  return String(token.value)
}
