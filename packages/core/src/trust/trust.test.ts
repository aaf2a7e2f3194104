import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isSecurityMember, patchesSecurityMember, replacesSecurityMember } from './security-members.ts'
import { isTrustedFor, trustAfterKeys, trustAfterWrite } from './trust.ts'

test('D55 an untrusted entity logs in only identities without rights', () => {
  const plain = { isAdmin: false, permissions: [] }
  const admin = { isAdmin: true, permissions: [] }
  const holder = { isAdmin: false, permissions: ['identity.read' as const] }
  for (const identity of [plain, admin, holder]) assert.equal(isTrustedFor({ isTrusted: true }, identity), true)
  assert.equal(isTrustedFor({ isTrusted: false }, plain), true)
  assert.equal(isTrustedFor({ isTrusted: false }, admin), false)
  assert.equal(isTrustedFor({ isTrusted: false }, holder), false)
})

test('D55 trust follows the writer', () => {
  const writer = { id: 'a', name: 'Ann' }
  const written = { writtenById: 'a', writtenByName: 'Ann', writtenAt: 5 }
  assert.deepEqual(trustAfterWrite({ ...writer, isAdmin: true }, 5), { isTrusted: true, ...written })
  assert.deepEqual(trustAfterWrite({ ...writer, isAdmin: false }, 5), { isTrusted: false, ...written })
})

test('D55 keys take trust as their giver is, except for pinned ones, and never give it', () => {
  const writer = { id: 'a', name: 'Ann' }
  for (const isTrusted of [true, false]) {
    const current = { isTrusted, writtenById: 'b', writtenByName: 'Bo', writtenAt: 1 }
    const after = (isAdmin: boolean, isPinned: boolean) => trustAfterKeys(current, { ...writer, isAdmin }, 5, isPinned)
    for (const isPinned of [true, false]) assert.equal(after(true, isPinned).isTrusted, isTrusted)
    assert.equal(after(false, false).isTrusted, false)
    assert.equal(after(false, true), current)
  }
})

test('D55 a PATCH writes the members that it names, a PUT those that it changes', () => {
  assert.equal(isSecurityMember('anything new'), true)
  assert.equal(patchesSecurityMember(['name', 'tags', 'enabled']), false)
  assert.equal(patchesSecurityMember(['tags', 'issuer']), true)
  const before = { name: 'a', tags: {}, scopes: ['x'], issuer: 'i' }
  assert.equal(replacesSecurityMember(before, { ...before, scopes: ['x'] }), false)
  assert.equal(replacesSecurityMember(before, { ...before, name: 'b', tags: { a: 'b' } }), false)
  assert.equal(replacesSecurityMember(before, { ...before, scopes: ['y'] }), true)
})
