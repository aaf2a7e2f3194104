import assert from 'node:assert/strict'
import { test } from 'node:test'
import { claimLines, claimRowRules, newClaimRow, toClaimRows, toClaimValues } from './claim-rows.ts'

const CLAIM_ROW_RULES = claimRowRules('requiredClaims')

test('required claims survive the conversion to rows and back, also a claim named __proto__', () => {
  const claims = JSON.parse('{"tenant":"acme","/realm/roles":["a","b"],"__proto__":"x","ref":{"glob":"refs/*"}}')
  const rows = toClaimRows(claims)
  assert.deepEqual(
    rows.map(({ selector, values }) => [selector, values]),
    [
      ['tenant', ['acme']],
      ['/realm/roles', ['a', 'b']],
      ['__proto__', ['x']],
      ['ref', ['refs/*']],
    ],
  )
  assert.equal(
    JSON.stringify(toClaimValues([...rows, newClaimRow()])),
    '{"tenant":["acme"],"/realm/roles":["a","b"],"__proto__":["x"],"ref":{"glob":"refs/*"}}',
  )
  assert.equal(toClaimValues([newClaimRow()]), null)
  const lines = ['tenant: acme', '/realm/roles: a or b', '__proto__: x', 'ref matches refs/*']
  assert.deepEqual(claimLines(claims), lines)
})

test('rows without a claim, without a value or with a duplicate claim are invalid; empty rows are ignored', () => {
  const row = (selector: string, values: string[]) => ({ ...newClaimRow(), selector, values })
  const patterns = (values: string[]) => ({ ...row('ref', values), isPattern: true })
  const rows = [
    row('tenant', ['a']),
    row('', ['a']),
    row('b', []),
    row('tenant', ['b']),
    row('', []),
    patterns(['a', 'b']),
  ]
  const isInvalid = (index: number) => {
    const { selector, values } = rows[index] ?? newClaimRow()
    const form = { requiredClaims: rows }
    return [
      CLAIM_ROW_RULES.selector(selector, form, `requiredClaims.${index}.selector`) !== null,
      CLAIM_ROW_RULES.values(values, form, `requiredClaims.${index}.values`) !== null,
    ]
  }
  assert.deepEqual([0, 1, 2, 3, 4, 5].map(isInvalid), [
    [true, false],
    [true, false],
    [false, true],
    [true, false],
    [false, false],
    [false, true],
  ])
})
