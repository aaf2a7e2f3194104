import { type AppError, echoedValue } from '../app-error.ts'
import {
  type Condition,
  foldAscii,
  type Operand,
  type OrderOperator,
  type Predicate,
  type Scalar,
  type ScalarType,
} from './filter.ts'
import { type Literal, type LiteralList, takeLiteral, takeLiteralList } from './literal.ts'
import { peek, refusal, type TokenCursor, takeInfix, unexpected } from './token-cursor.ts'

/** A typed left side, its name in messages, and the set of its elements for `anyOf` and `allOf`. */
export interface LeftSide {
  readonly operand: Operand
  readonly type: ScalarType
  readonly label: string
  readonly elementsOf?: { readonly kind: 'anyOf' | 'allOf'; readonly set: string }
}

type MarkOperator = '=' | '!=' | OrderOperator
type WordOperator = 'contains' | 'icontains' | 'in' | 'between'

interface Operation {
  readonly left: LeftSide
  readonly operator: MarkOperator | WordOperator
  readonly negated: boolean
  readonly right: LiteralList
}

const EQUALITY = ['=', '!='] as const
const ORDER = ['<', '<=', '>', '>='] as const
const CONTAINS = ['contains', 'icontains'] as const
const MARK_OPERATORS: readonly MarkOperator[] = [...EQUALITY, ...ORDER]
const WORD_OPERATORS: readonly WordOperator[] = [...CONTAINS, 'in', 'between']

const OPERATORS: Readonly<Record<ScalarType, readonly (MarkOperator | WordOperator)[]>> = {
  string: [...MARK_OPERATORS, ...CONTAINS, 'in'],
  number: [...MARK_OPERATORS, 'contains', 'in', 'between'],
  datetime: [...MARK_OPERATORS, 'in', 'between'],
  bool: EQUALITY,
}

/** Parses the operator and right side after a left side, and checks their types. Undefined when no operator follows. */
export function parseComparison(cursor: TokenCursor, left: LeftSide): Predicate | undefined {
  const operation = takeOperation(cursor, left)
  if (operation === undefined) return undefined
  // Tags are compared by their text form, so a tag never equals a number.
  if (left.operand.kind === 'tag' && isEquality(operation.operator) && operation.right[0].kind === 'number') {
    return { kind: 'constant', value: operation.operator === '!=' }
  }
  const negated = operation.negated || operation.operator === '!='
  const condition = buildCondition(cursor, operation)
  if (left.elementsOf) return testElements(left.elementsOf, negated, condition)
  return { kind: 'comparison', comparison: { operand: left.operand, negated, ...condition } }
}

/** `not in` negates the whole test, and `anyOf(…) !=` finds the non-empty sets without the value. Other negations apply to each element. */
function testElements(
  elements: NonNullable<LeftSide['elementsOf']>,
  negated: boolean,
  condition: Condition,
): Predicate {
  const test = (isNegated: boolean): Predicate => {
    return { ...elements, test: { operand: { kind: 'element' }, negated: isNegated, ...condition } }
  }
  const lacks: Predicate = { kind: 'not', term: test(false) }
  if (negated && condition.kind === 'in') return lacks
  if (!negated || condition.kind !== 'equal' || elements.kind === 'allOf') return test(negated)
  return { kind: 'and', terms: [{ kind: 'not', term: { kind: 'isEmpty', set: elements.set } }, lacks] }
}

function takeOperation(cursor: TokenCursor, left: LeftSide): Operation | undefined {
  const token = peek(cursor)
  const mark = token.kind === 'mark' ? MARK_OPERATORS.find((candidate) => candidate === token.value) : undefined
  if (mark !== undefined) {
    cursor.at++
    return { left, operator: mark, negated: false, right: [takeLiteral(cursor)] }
  }
  const negated = takeInfix(cursor, 'not')
  const word = WORD_OPERATORS.find((candidate) => takeInfix(cursor, candidate))
  if (word !== undefined) return { left, operator: word, negated, right: takeRightSide(cursor, word) }
  if (negated) throw unexpected(cursor)
  return undefined
}

function takeRightSide(cursor: TokenCursor, operator: WordOperator): LiteralList {
  if (operator === 'in') return takeLiteralList(cursor)
  const first = takeLiteral(cursor)
  if (operator !== 'between') return [first]
  if (!takeInfix(cursor, 'and')) throw unexpected(cursor)
  return [first, takeLiteral(cursor)]
}

function buildCondition(cursor: TokenCursor, operation: Operation): Condition {
  const { left, operator, right } = operation
  const [first, second = first] = right
  if (!OPERATORS[left.type].includes(operator)) throw mismatch(cursor, operation, first)
  const value = (literal: Literal) => valueFor(cursor, operation, literal)
  switch (operator) {
    case '=':
    case '!=':
      return first.kind === 'null' ? { kind: 'isNull' } : { kind: 'equal', value: value(first) }
    case 'contains':
      return { kind: 'contains', text: textFor(cursor, operation, first), ignoreCase: false }
    case 'icontains':
      return { kind: 'contains', text: foldAscii(textFor(cursor, operation, first)), ignoreCase: true }
    case 'in':
      return { kind: 'in', values: right.map(value) }
    case 'between':
      return { kind: 'between', low: value(first), high: value(second) }
    default:
      return { kind: 'order', operator, value: value(first) }
  }
}

/** Converts a literal to the type of the left side: a number to its text, and for a tag a bool to its text. */
function valueFor(cursor: TokenCursor, operation: Operation, literal: Literal): Scalar {
  const { left, operator } = operation
  if (literal.kind === left.type && literal.value !== null) return literal.value
  const standsForText =
    left.operand.kind === 'tag' ? literal.kind === 'bool' && isEquality(operator) : literal.kind === 'number'
  if (left.type === 'string' && standsForText) return literal.text
  throw mismatch(cursor, operation, literal)
}

function textFor(cursor: TokenCursor, operation: Operation, literal: Literal): string {
  if (literal.kind === 'string' || literal.kind === 'number') return literal.text
  throw mismatch(cursor, operation, literal)
}

function mismatch(cursor: TokenCursor, operation: Operation, literal: Literal): AppError {
  const { left, negated } = operation
  const operator = negated ? `not ${operation.operator}` : operation.operator
  return refusal(
    cursor,
    `operation ${echoedValue(left.label)} ${operator} ${echoedValue(literal.text)} is not supported with operands types ${left.type}, ${literal.kind}`,
  )
}

function isEquality(operator: Operation['operator']): boolean {
  return operator === '=' || operator === '!='
}
