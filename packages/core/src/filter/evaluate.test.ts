import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compareRows, compareText, evaluate } from './evaluate.ts'

test('compares text by code points, not by UTF-16 units', () => {
  const texts = ['', 'A', 'a', 'aa', 'ä', '\uff21', '\u{10000}', '\u{10001}', '\u{1f600}', '\u{1f600}a']
  for (const left of texts) {
    for (const right of texts) {
      const bytes = Buffer.compare(Buffer.from(left), Buffer.from(right))
      assert.equal(Math.sign(compareText(left, right)), bytes, `${left} ${right}`)
    }
  }
})

test('compares rows by several fields, with absent values first ascending and last descending', () => {
  const rows = [{ n: 2, s: 'b' }, { n: null, s: 'c' }, { n: 1, s: 'a' }, { n: 2, s: 'a' }, { s: 'd' }]
  const order = (descending: boolean) => {
    const sort = [
      { symbol: 'n', descending },
      { symbol: 's', descending: false },
    ]
    const read = (row: object) => (symbol: string) => Reflect.get(row, symbol)
    return rows
      .toSorted((left, right) => compareRows(sort, read(left), read(right)))
      .map(({ n, s }) => `${n ?? ''}${s}`)
  }
  assert.deepEqual(order(false), ['c', 'd', '1a', '2a', '2b'])
  assert.deepEqual(order(true), ['2a', '2b', '1a', 'c', 'd'])
  assert.equal(
    compareRows(
      [],
      () => 1,
      () => 2,
    ),
    0,
  )
})

test('throws TypeError for an element operand outside a set', () => {
  const comparison = { kind: 'equal', operand: { kind: 'element' }, negated: false, value: 'x' } as const
  assert.throws(() => evaluate({ kind: 'comparison', comparison }, () => 'x'), TypeError)
  assert.equal(
    evaluate({ kind: 'anyOf', set: 's', test: comparison }, () => ['x']),
    true,
  )
  assert.equal(
    evaluate({ kind: 'anyOf', set: 's', test: comparison }, () => undefined),
    false,
  )
})
