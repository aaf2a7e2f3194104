import { foldAscii } from '../filter/filter.ts'
import { scimError } from './scim-error.ts'
import { lexScim, type ScimToken } from './scim-lexer.ts'
import { SCIM_LIMITS } from './scim-schemas.ts'

export const SCIM_OPERATORS = ['eq', 'ne', 'co', 'sw', 'ew', 'gt', 'ge', 'lt', 'le'] as const
export type ScimOperator = (typeof SCIM_OPERATORS)[number]
export type ScimValue = string | number | boolean | null

/** A filter of RFC 7644, section 3.4.2.2. Attributes are in lower case and without the schema. */
export type ScimFilter =
  | { readonly kind: 'and' | 'or'; readonly terms: readonly ScimFilter[] }
  | { readonly kind: 'not'; readonly term: ScimFilter }
  | { readonly kind: 'present'; readonly attribute: string }
  | {
      readonly kind: 'compare'
      readonly attribute: string
      readonly operator: ScimOperator
      readonly value: ScimValue
    }
  /** One value of a multi-valued attribute meets the whole condition. */
  | { readonly kind: 'some'; readonly attribute: string; readonly term: ScimFilter }

/** Where a PATCH changes something. `filter` selects values of a multi-valued attribute. */
export interface ScimPath {
  /** In lower case. */
  readonly attribute: string
  readonly filter?: ScimFilter
  readonly part?: string
}

/** Fails with the keyword `invalidFilter`. */
export function parseScimFilter(text: string): ScimFilter {
  if (text.length > SCIM_LIMITS.maxFilterLength) throw scimError('invalidFilter', 'the filter is too long')
  const reader = new Reader(lexScim(text))
  const filter = reader.or(0)
  reader.end()
  return filter
}

/** Reads the path of an operation: `name.familyName`, `emails[type eq "work"].value`. Fails with the keyword `invalidPath`. */
export function parseScimPath(text: string): ScimPath {
  try {
    if (text.length > SCIM_LIMITS.maxFilterLength) throw scimError('invalidPath', 'the path is too long')
    const reader = new Reader(lexScim(text))
    const path = reader.path()
    reader.end()
    return path
  } catch {
    throw scimError('invalidPath', 'the path of an operation is not valid')
  }
}

/** The schemas whose attributes are those of the product; names with another schema stay as they are, and match nothing. */
const OWN_SCHEMA = /^urn:ietf:params:scim:schemas:core:2\.0:(?:user|group):/

export function attributeName(word: string): string {
  return foldAscii(word).replace(OWN_SCHEMA, '')
}

class Reader {
  readonly #tokens: readonly ScimToken[]
  #at = 0
  #terms = 0

  constructor(tokens: readonly ScimToken[]) {
    this.#tokens = tokens
  }

  or(depth: number): ScimFilter {
    return this.#list('or', depth, () => this.#list('and', depth, () => this.#term(depth)))
  }

  path(): ScimPath {
    const name = attributeName(this.#word())
    if (!this.#take('[')) return splitPath(name)
    const filter = this.or(1)
    this.#expect(']')
    const next = this.#peek()
    if (next?.kind !== 'word' || !next.text.startsWith('.')) return { attribute: name, filter }
    this.#at += 1
    return { attribute: name, filter, part: foldAscii(next.text.slice(1)) }
  }

  end(): void {
    if (this.#at < this.#tokens.length) throw invalid()
  }

  #list(kind: 'and' | 'or', depth: number, read: () => ScimFilter): ScimFilter {
    if (depth > SCIM_LIMITS.maxFilterDepth) throw scimError('invalidFilter', 'the filter is nested too deeply')
    const terms = [read()]
    while (this.#takeWord(kind)) terms.push(read())
    const [first] = terms
    return terms.length === 1 && first ? first : { kind, terms }
  }

  #term(depth: number): ScimFilter {
    if (this.#take('(')) return this.#closed(depth)
    if (this.#peek(1)?.kind === '(' && this.#takeWord('not')) {
      this.#expect('(')
      return { kind: 'not', term: this.#closed(depth) }
    }
    this.#terms += 1
    if (this.#terms > SCIM_LIMITS.maxFilterTerms) throw scimError('invalidFilter', 'the filter has too many conditions')
    const { attribute, filter, part } = this.path()
    if (!filter) return this.#comparison(part === undefined ? attribute : `${attribute}.${part}`)
    if (part === undefined && !this.#isOperator()) return { kind: 'some', attribute, term: filter }
    // Entra sends `emails[type eq "work"].value eq "a@b"`, which its documentation writes without `.value` too.
    const term: ScimFilter = { kind: 'and', terms: [filter, this.#comparison(part ?? 'value')] }
    return { kind: 'some', attribute, term }
  }

  #closed(depth: number): ScimFilter {
    const inner = this.or(depth + 1)
    this.#expect(')')
    return inner
  }

  #isOperator(): boolean {
    const next = this.#peek()
    const word = next?.kind === 'word' ? foldAscii(next.text) : ''
    return word === 'pr' || SCIM_OPERATORS.some((known) => known === word)
  }

  #comparison(attribute: string): ScimFilter {
    const word = foldAscii(this.#word())
    if (word === 'pr') return { kind: 'present', attribute }
    const operator = SCIM_OPERATORS.find((known) => known === word)
    if (!operator) throw invalid()
    return { kind: 'compare', attribute, operator, value: this.#value() }
  }

  #value(): ScimValue {
    const token = this.#tokens[this.#at++]
    if (token?.kind === 'string') return token.text
    const word = token?.kind === 'word' ? foldAscii(token.text) : ''
    if (word === 'true' || word === 'false') return word === 'true'
    if (word === 'null') return null
    if (!/^-?\d{1,15}(?:\.\d{1,9})?$/.test(word)) throw invalid()
    return Number(word)
  }

  #peek(offset = 0): ScimToken | undefined {
    return this.#tokens[this.#at + offset]
  }

  #take(kind: ScimToken['kind']): boolean {
    const isNext = this.#peek()?.kind === kind
    if (isNext) this.#at += 1
    return isNext
  }

  #takeWord(text: string): boolean {
    const token = this.#peek()
    const isNext = token?.kind === 'word' && foldAscii(token.text) === text
    if (isNext) this.#at += 1
    return isNext
  }

  #expect(kind: ScimToken['kind']): void {
    if (!this.#take(kind)) throw invalid()
  }

  #word(): string {
    const token = this.#tokens[this.#at++]
    if (token?.kind !== 'word') throw invalid()
    return token.text
  }
}

/** The name of another schema contains a dot that separates nothing. */
function splitPath(name: string): ScimPath {
  const dot = name.startsWith('urn:') ? -1 : name.indexOf('.')
  return dot < 0 ? { attribute: name } : { attribute: name.slice(0, dot), part: name.slice(dot + 1) }
}

const invalid = () => scimError('invalidFilter', 'the filter is not valid')
