import type { Predicate } from '@countersign/core'

/** One column equal to one value. */
export function equals(symbol: string, value: string): Predicate {
  const operand = { kind: 'symbol', symbol, type: 'string' } as const
  return { kind: 'comparison', comparison: { kind: 'equal', operand, value, negated: false } }
}

/** One instant later than another. */
export function laterThan(symbol: string, instant: number): Predicate {
  const operand = { kind: 'symbol', symbol, type: 'datetime' } as const
  return { kind: 'comparison', comparison: { kind: 'order', operator: '>', operand, value: instant, negated: false } }
}
