import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SIGNER } from '@countersign/contract/ext-jwt-signer'
import { field, group } from '@countersign/contract/resource'
import { deriveMembers } from '../src/resources/derive-members.ts'

const { fields, writable, readOnly } = deriveMembers(SIGNER.members)

test('every setting of a signer can be written, and what is only answered is passed over', () => {
  for (const member of ['name', 'enabled', 'additionalAudiences', 'requiredClaims', 'tags']) {
    assert.ok(writable.includes(member), member)
  }
  assert.deepEqual(
    readOnly.filter((member) => !['_links', 'id', 'createdAt', 'updatedAt'].includes(member)),
    ['fingerprint', 'commonName', 'notBefore', 'notAfter'],
  )
  assert.ok(!writable.some((member) => readOnly.includes(member)))
})

test('a flag has the name, kind and help that the notes give, or those of its member', () => {
  const byMember = new Map(fields.map(({ member, ...flag }) => [member, flag]))
  assert.deepEqual(byMember.get('clockSkewSeconds'), {
    flag: 'clock-skew-seconds',
    kind: 'number',
    value: 'N',
    description: 'How far the clock of the identity provider may be off',
  })
  assert.deepEqual([byMember.get('certPem')?.flag, byMember.get('certPem')?.kind], ['cert', 'file'])
  assert.equal(byMember.get('useExternalId')?.kind, 'switch')
  assert.match(byMember.get('targetToken')?.description ?? '', /: ACCESS or ID$/)
  const audiences = byMember.get('additionalAudiences')
  assert.deepEqual([audiences?.flag, audiences?.kind], ['additional-audience', 'list'])
  assert.match(audiences?.description ?? '', /may be repeated$/)
  for (const member of ['name', 'enabled', 'requiredClaims', 'tags', 'fingerprint']) {
    assert.ok(!byMember.has(member), member)
  }
})

test('members inside others are named by their path', () => {
  const deep = group({ flag: field({ type: 'boolean' } as never, { description: 'Whether' }) })
  const { fields, writable, innerMembers } = deriveMembers({ outer: group({ deep }) })
  assert.deepEqual(writable, ['outer'])
  assert.deepEqual(innerMembers, { outer: ['deep'], 'outer.deep': ['flag'] })
  assert.deepEqual(fields, [{ flag: 'flag', member: 'outer.deep.flag', kind: 'switch', description: 'Whether' }])
})
