import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JsonValue } from '../json/json-value.ts'
import { findUnmetClaim, parseRequiredClaims, requirementText } from './required-claims.ts'

function unmet(required: JsonValue, claims: Record<string, JsonValue>): string | undefined {
  const reading = parseRequiredClaims(required)
  assert.ok(reading.ok)
  return findUnmetClaim(reading.requiredClaims, claims)?.selector.text
}

test('D14 each selected claim, or one element of it, must equal one of the values', () => {
  const required = { repository_owner: 'acme', '/groups': ['staff', 'ops'] }
  assert.equal(unmet(required, { repository_owner: 'acme', groups: 'ops' }), undefined)
  assert.equal(unmet(required, { repository_owner: 'acme', groups: ['x', 'staff'] }), undefined)
  assert.equal(unmet(required, { repository_owner: ['acme'], groups: ['staff'] }), undefined)
  assert.equal(unmet(required, { groups: 'ops' }), 'repository_owner')
  for (const groups of [
    'x',
    '',
    [],
    ['x'],
    [['staff']],
    { staff: true },
    true,
    null,
    1,
    'STAFF',
    'staff ',
    'staff,ops',
  ]) {
    assert.equal(unmet(required, { repository_owner: 'acme', groups: groups as JsonValue }), '/groups')
  }
})

test('D14 a pattern accepts each value, or one element of the claim, that matches it as a whole', () => {
  const required = { ref: { glob: 'refs/heads/*' } }
  assert.equal(unmet(required, { ref: 'refs/heads/main' }), undefined)
  assert.equal(unmet(required, { ref: ['x', 'refs/heads/main'] }), undefined)
  for (const ref of ['refs/tags/v1', 'xrefs/heads/main', '', ['x'], null, 7, { glob: 'refs/heads/main' }]) {
    assert.equal(unmet(required, { ref: ref as JsonValue }), 'ref')
  }
  assert.equal(unmet(required, {}), 'ref')
})

test('D14 verdicts state what a claim must be', () => {
  const reading = parseRequiredClaims({ repository: ['acme/app', 'acme/web'], '/ref': { glob: 'refs/*' } })
  assert.ok(reading.ok)
  const texts = ['repository is acme/app or acme/web', '/ref matches refs/*']
  assert.deepEqual(reading.requiredClaims.map(requirementText), texts)
})

test('D14 an empty object is always met', () => {
  assert.equal(unmet({}, {}), undefined)
})

test('D14 refuses invalid requirements', () => {
  assert.ok(parseRequiredClaims({ '/a': 'x', b: ['y'], c: { glob: 'x*' } }).ok)
  const many = Object.fromEntries(Array.from({ length: 33 }, (_, index) => [`c${index}`, 'x']))
  const refused: JsonValue[] = [
    null,
    [],
    'x',
    1,
    { '/a~': 'x' },
    { '': 'x' },
    { a: 1 },
    { a: null },
    { a: [] },
    { a: [1] },
    { a: [['x']] },
    { a: '' },
    { a: ['x', ''] },
    { a: 'x'.repeat(513) },
    { a: Array(65).fill('x') },
    { a: {} },
    { a: { glob: '' } },
    { a: { glob: 1 } },
    { a: { glob: ['x*'] } },
    { a: { glob: 'x*', other: 'y' } },
    { a: { regex: 'x' } },
    { a: [{ glob: 'x*' }] },
    { a: { glob: 'x'.repeat(513) } },
    many,
  ]
  for (const value of refused) assert.equal(parseRequiredClaims(value).ok, false, JSON.stringify(value)?.slice(0, 60))
})
