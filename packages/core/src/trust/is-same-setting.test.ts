import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readJson } from '../json/read-json.ts'
import { isSameSetting } from './is-same-setting.ts'

const CLAIM = {
  location: 'SAN_URI',
  matcher: 'SCHEME',
  matcherCriteria: 'spiffe',
  parser: 'NONE',
  parserCriteria: '',
  index: 0,
}
const parse = (json: string) => readJson(json, { maxDepth: 4, maxMembers: 16 })
const reversed = (members: object) => Object.fromEntries(Object.entries(members).toReversed())

interface Case {
  readonly name: string
  readonly value: unknown
  /** Other forms of the value that mean the same. */
  readonly same: readonly unknown[]
  /** Values that mean something else. */
  readonly other: readonly unknown[]
}

const CASES: readonly Case[] = [
  { name: 'certPem', value: 'a\nb\n', same: ['a\r\nb'], other: ['a\nc\n', null] },
  {
    name: 'requiredClaims',
    value: { tenant: 'a', '/roles': ['x', 'y'] },
    same: [
      { tenant: ['a'], '/roles': ['x', 'y'] },
      { '/roles': ['y', 'x'], tenant: 'a' },
      parse('{"tenant":["a"],"/roles":["x","y"]}'),
    ],
    other: [
      { tenant: ['a', 'b'], '/roles': ['x', 'y'] },
      { tenant: 'a', '/roles': ['x'] },
      { tenant: 'a' },
      { tenants: 'a', '/roles': ['x', 'y'] },
      { tenant: [], '/roles': ['x', 'y'] },
      null,
    ],
  },
  {
    name: 'requiredClaims',
    value: { ref: { glob: 'refs/*' } },
    same: [parse('{"ref":{"glob":"refs/*"}}')],
    other: [{ ref: { glob: 'refs/heads/*' } }, { ref: 'refs/*' }, { ref: ['refs/*'] }],
  },
  { name: 'requiredClaims', value: null, same: [undefined], other: [parse('{"__proto__":"a"}'), { tenant: 7 }] },
  {
    name: 'externalIdClaim',
    value: CLAIM,
    same: [reversed(CLAIM), parse(JSON.stringify(CLAIM))],
    other: [...Object.keys(CLAIM).map((member) => ({ ...CLAIM, [member]: 'another' })), null],
  },
  {
    name: 'sharedSignals',
    value: { audience: 'a', actions: { 'account-disabled': 'log', 'session-revoked': 'log' } },
    same: [
      { audience: 'a', actions: { 'session-revoked': 'log', 'account-disabled': 'log' } },
      { actions: { 'account-enabled': 'enable', 'session-revoked': 'log', 'account-disabled': 'log' }, audience: 'a' },
    ],
    other: [
      { audience: 'b', actions: { 'account-disabled': 'log', 'session-revoked': 'log' } },
      { audience: 'a', issuer: 'b', actions: { 'account-disabled': 'log', 'session-revoked': 'log' } },
      { audience: 'a', actions: { 'account-disabled': 'log' } },
      { audience: 'a', actions: { 'account-disabled': 'log', 'session-revoked': 'disable' } },
      null,
    ],
  },
  {
    name: 'scopes',
    value: ['openid', 'email'],
    same: [['email', 'openid'], ['openid email'], ['openid ', 'email']],
    other: [['openid'], ['openid,email'], ['openid', 'email', 'groups'], null],
  },
  { name: 'additionalAudiences', value: ['a', 'b'], same: [['b', 'a']], other: [['a'], ['a b'], []] },
  { name: 'identityRoles', value: ['a', 'b'], same: [['a', 'b']], other: [['b', 'a'], ['a']] },
  { name: 'issuer', value: 'https://a.example', same: ['https://a.example'], other: ['https://A.example', '', null] },
]

for (const { name, value, same, other } of CASES) {
  test(`D55 ${name} ${JSON.stringify(value)} is the same in another form only when it means the same`, () => {
    for (const form of same) {
      assert.ok(isSameSetting(name, value, form), JSON.stringify(form))
      assert.ok(isSameSetting(name, form, value), JSON.stringify(form))
    }
    for (const change of other) {
      assert.ok(!isSameSetting(name, value, change), JSON.stringify(change))
      assert.ok(!isSameSetting(name, change, value), JSON.stringify(change))
    }
  })
}
