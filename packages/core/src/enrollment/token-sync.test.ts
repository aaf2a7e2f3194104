import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JsonObject } from '../json/json-value.ts'
import { isSyncing, planTokenSync, type SyncedIdentity, type SyncingSigner, suffixedName } from './token-sync.ts'

const SIGNER: SyncingSigner = {
  id: 'idp',
  attributeSync: 'login',
  nameSync: true,
  enrollAttributeClaimsSelector: '/groups',
  enrollNameClaimsSelector: 'name',
}
const IDENTITY: SyncedIdentity = {
  id: 'alice',
  name: 'Alice',
  syncedTokens: { idp: 100 },
  manualAttributes: ['staff'],
  suppliedAttributes: [
    { signerId: 'other', channel: 'token', attributes: ['x'] },
    { signerId: 'idp', channel: 'token', attributes: ['a', 'b'] },
  ],
}
const CLAIMS: JsonObject = { iat: 100, name: 'Alice', groups: ['b', 'a'] }

const plan = (claims: JsonObject = {}, signer: Partial<SyncingSigner> = {}, identity: Partial<SyncedIdentity> = {}) =>
  planTokenSync(
    { ...SIGNER, ...signer },
    { claims: { ...CLAIMS, ...claims }, ruleAttributes: [] },
    { ...IDENTITY, ...identity },
  )
const problemsOf = (...args: Parameters<typeof plan>) => plan(...args)?.warnings.map(({ problem }) => problem)

test('a token that agrees with its identity, or whose signer syncs nothing, needs no write', () => {
  assert.equal(plan(), undefined)
  assert.equal(plan({ groups: ['a', 'b', 'a', ''] }), undefined)
  const never = { attributeSync: 'enrollment', nameSync: false } as const
  assert.equal(plan({ groups: [], name: 'Bob' }, never), undefined)
  assert.equal(isSyncing({ ...SIGNER, ...never }), false)
})

test('a difference is what the token says', () => {
  assert.deepEqual(plan({ groups: 'c', name: 'Bob', iat: 101.5 }), {
    attributes: ['c'],
    name: 'Bob',
    issuedAt: 101,
    warnings: [],
  })
  assert.deepEqual(plan({ groups: null })?.attributes, [])
  assert.deepEqual(plan({ groups: ['c'] }, { nameSync: false })?.name, undefined)
  assert.deepEqual(plan({ groups: ['c'], name: 'Bob' }, { attributeSync: 'enrollment' })?.attributes, undefined)
})

test('a signer without a selector supplies no attributes', () => {
  assert.deepEqual(plan({}, { enrollAttributeClaimsSelector: null })?.attributes, [])
})

test('a token older than the latest change is ignored, one without a time counts as the oldest', () => {
  const stale = { ...CLAIMS, groups: ['c'], iat: 99 }
  assert.equal(plan(stale), undefined)
  assert.deepEqual(plan(stale, {}, { syncedTokens: {} })?.attributes, ['c'])
  const { iat: _, ...untimed } = stale
  assert.equal(planTokenSync(SIGNER, { claims: untimed, ruleAttributes: [] }, IDENTITY), undefined)
})

test('claims that are absent or unusable change nothing and warn', () => {
  const { groups: _, ...absent } = CLAIMS
  const absentPlan = planTokenSync(SIGNER, { claims: absent, ruleAttributes: [] }, IDENTITY)
  assert.deepEqual([absentPlan?.attributes, absentPlan?.warnings[0]?.problem], [undefined, 'attributes-absent'])
  for (const overage of [{ _claim_names: { groups: 'src1' } }, { hasgroups: true }]) {
    const [warning] =
      planTokenSync(SIGNER, { claims: { ...absent, ...overage }, ruleAttributes: [] }, IDENTITY)?.warnings ?? []
    assert.match(warning?.message ?? '', /overage/)
  }
  const literal = planTokenSync(
    { ...SIGNER, enrollAttributeClaimsSelector: 'groups' },
    { claims: absent, ruleAttributes: [] },
    IDENTITY,
  )
  assert.doesNotMatch(literal?.warnings[0]?.message ?? '', /overage/)
  for (const groups of [7, ['@a'], [''.padEnd(129, 'x')]])
    assert.deepEqual(problemsOf({ groups }), ['attributes-unusable'])
  for (const name of [7, '', ' ', 'api-account:x', ''.padEnd(257, 'x'), 'a\u0000']) {
    assert.deepEqual(problemsOf({ name }), ['name-unusable'], JSON.stringify(name))
  }
})

test('D59 a list with unusable entries, or too long a one, adds nothing and takes away what it lacks', () => {
  for (const more of [
    ['#mine'],
    ['@mine'],
    ['x'.repeat(129)],
    Array.from({ length: 100 }, (_, index) => `g${index}`),
  ]) {
    const given = plan({ groups: ['b', 'new', ...more] })
    assert.deepEqual([given?.attributes, given?.warnings[0]?.problem], [['b'], 'attributes-unusable'])
    assert.equal(plan({ groups: ['b', 'a', ...more] })?.attributes, undefined, 'nothing is lacking')
  }
  assert.deepEqual(plan({ groups: ['b', 'new'] })?.attributes, ['b', 'new'])
  for (const groups of [7, { b: true }, ['b', 7]]) assert.equal(plan({ groups })?.attributes, undefined)
})

test('the limit of attributes applies to all origins together', () => {
  const groups = Array.from({ length: 98 }, (_, index) => `g${index}`)
  assert.equal(plan({ groups })?.attributes?.length, 98)
  assert.deepEqual(problemsOf({ groups: [...groups, 'g98'] }), ['attributes-unusable'])
})

test('a name with its suffix is not changed again', () => {
  const suffixed = suffixedName('Alice', 'alice')
  assert.match(suffixed, /^Alice [0-9a-f]{8}$/)
  assert.equal(plan({}, {}, { name: suffixed }), undefined)
  assert.equal(suffixedName('x'.repeat(256), 'alice').length, 256)
  assert.notEqual(suffixedName('Alice', 'bob'), suffixed)
})
