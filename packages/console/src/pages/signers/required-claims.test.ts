import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CLAIM_ROW_RULES, newClaimRow, toClaimRows, toRequiredClaims } from './required-claims.ts'

test('required claims survive the conversion to rows and back, also a claim named __proto__', () => {
  const claims = JSON.parse('{"tenant":"acme","/realm/roles":["a","b"],"__proto__":"x"}')
  const rows = toClaimRows(claims)
  assert.deepEqual(
    rows.map(({ selector, values }) => [selector, values]),
    [
      ['tenant', ['acme']],
      ['/realm/roles', ['a', 'b']],
      ['__proto__', ['x']],
    ],
  )
  assert.equal(
    JSON.stringify(toRequiredClaims([...rows, newClaimRow()])),
    '{"tenant":["acme"],"/realm/roles":["a","b"],"__proto__":["x"]}',
  )
  assert.equal(toRequiredClaims([newClaimRow()]), null)
})

test('rows without a claim, without a value or with a duplicate claim are invalid; empty rows are ignored', () => {
  const row = (selector: string, values: string[]) => ({ ...newClaimRow(), selector, values })
  const rows = [row('tenant', ['a']), row('', ['a']), row('b', []), row('tenant', ['b']), row('', [])]
  const isInvalid = (index: number) => {
    const { selector, values } = rows[index] ?? newClaimRow()
    const form = { requiredClaims: rows }
    return [
      CLAIM_ROW_RULES.selector(selector, form, `requiredClaims.${index}.selector`) !== null,
      CLAIM_ROW_RULES.values(values, form, `requiredClaims.${index}.values`) !== null,
    ]
  }
  assert.deepEqual([0, 1, 2, 3, 4].map(isInvalid), [
    [true, false],
    [true, false],
    [false, true],
    [true, false],
    [false, false],
  ])
})
