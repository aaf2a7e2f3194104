import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type CaPatch, DEFAULT_IDENTITY_NAME_FORMAT } from '@countersign/contract/ca'
import { caFromBody, givenCaSettings, patchedCa, replacedCa, validateCa } from './ca-settings.ts'

const SWITCHES = { isAuthEnabled: true, isAutoCaEnrollmentEnabled: false, isOttCaEnrollmentEnabled: false }
const CLAIM = {
  location: 'COMMON_NAME',
  matcher: 'ALL',
  matcherCriteria: '',
  parser: 'NONE',
  parserCriteria: '',
  index: 0,
} as const
const BODY = { name: 'Corp', certPem: 'x', identityRoles: ['b', 'a', 'b'], ...SWITCHES }

test('W-82 a new CA has sorted roles, the default format and no claim', () => {
  const ca = caFromBody(BODY)
  assert.deepEqual(ca, {
    name: 'Corp',
    ...SWITCHES,
    identityRoles: ['a', 'b'],
    identityNameFormat: DEFAULT_IDENTITY_NAME_FORMAT,
    externalIdClaim: null,
    tags: {},
  })
  validateCa(ca)
  validateCa({ ...ca, identityNameFormat: '[nope]', identityRoles: ['', '#x'], externalIdClaim: CLAIM })
  for (const bad of [{ name: ' ' }, { name: 'a\u0000' }, { identityNameFormat: 'a\u202e' }]) {
    assert.throws(() => validateCa({ ...ca, ...bad }), { code: 'COULD_NOT_VALIDATE' })
  }
  assert.throws(() => validateCa({ ...ca, externalIdClaim: { ...CLAIM, index: -1 } }), { code: 'INVALID_FIELD' })
})

test('W-84 a PUT without a claim removes it, and an empty name keeps the current one', () => {
  const current = caFromBody({ ...BODY, externalIdClaim: CLAIM, tags: { a: 'b' } })
  const replaced = replacedCa(current, { ...SWITCHES, name: '', identityRoles: [], identityNameFormat: '' })
  assert.deepEqual(replaced, {
    ...current,
    identityRoles: [],
    identityNameFormat: DEFAULT_IDENTITY_NAME_FORMAT,
    externalIdClaim: null,
    tags: {},
  })
})

test('W-84 which members a PATCH sets, and what becomes of the claim', () => {
  const current = caFromBody({ ...BODY, externalIdClaim: CLAIM })
  const patches: readonly (readonly [body: CaPatch, given: string[], claim: unknown])[] = [
    [{}, [], CLAIM],
    [{ externalIdClaim: {} }, [], CLAIM],
    [{ identityRoles: null, externalIdClaim: {} }, [], CLAIM],
    [{ identityRoles: null, name: 'x' }, ['name'], CLAIM],
    [{ identityRoles: ['x'] }, ['identityRoles'], CLAIM],
    [{ externalIdClaim: { index: 2 } }, ['externalIdClaim'], { ...CLAIM, index: 2 }],
    [{ externalIdClaim: null }, ['externalIdClaim'], null],
    [{ identityRoles: null }, ['externalIdClaim'], null],
  ]
  for (const [body, given, claim] of patches) {
    const text = JSON.stringify(body)
    assert.deepEqual(givenCaSettings(body), given, text)
    assert.deepEqual(patchedCa(current, body).externalIdClaim, claim, text)
  }
})
