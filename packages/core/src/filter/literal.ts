import { FILTER_BOUNDS, type Scalar, type ScalarType } from './filter.ts'
import { expectMark, peek, refusal, type TokenCursor, takeMark, unexpected } from './token-cursor.ts'

/** The right side of a comparison. `text` is its text form, without the quotes of a string. */
export interface Literal {
  readonly kind: ScalarType | 'null'
  readonly value: Scalar | null
  readonly text: string
}

const WORDS: ReadonlyMap<string, Omit<Literal, 'text'>> = new Map([
  ['true', { kind: 'bool', value: true }],
  ['false', { kind: 'bool', value: false }],
  ['null', { kind: 'null', value: null }],
])

/** Takes the literal at the cursor. Throws when there is none. */
export function takeLiteral(cursor: TokenCursor): Literal {
  const { kind, keyword, value, text } = peek(cursor)
  const word = WORDS.get(keyword)
  if (word === undefined && kind !== 'string' && kind !== 'number' && kind !== 'datetime') throw unexpected(cursor)
  cursor.at++
  return word
    ? { ...word, text: keyword }
    : { kind: kind as ScalarType, value, text: kind === 'string' ? `${value}` : text }
}

export type LiteralList = readonly [Literal, ...Literal[]]

/** Takes `[a, b, …]`. It must have at least one element, all of the same type. */
export function takeLiteralList(cursor: TokenCursor): LiteralList {
  expectMark(cursor, '[')
  const list: [Literal, ...Literal[]] = [takeLiteral(cursor)]
  while (takeMark(cursor, ',')) {
    if (list.length === FILTER_BOUNDS.listElements) {
      throw refusal(cursor, `a list has more than ${FILTER_BOUNDS.listElements} elements`)
    }
    list.push(takeLiteral(cursor))
  }
  expectMark(cursor, ']')
  if (list.some(({ kind }) => kind !== list[0].kind)) throw refusal(cursor, 'the elements of a list must have one type')
  return list
}
