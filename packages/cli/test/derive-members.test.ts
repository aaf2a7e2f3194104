import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SIGNER } from '@countersign/contract/ext-jwt-signer'
import { field, group } from '@countersign/contract/resource'
import { deriveMembers } from '../src/resources/derive-members.ts'

const { fields, writable, readOnly } = deriveMembers(SIGNER.members)

test('every setting of a signer is writable, and read-only members are ignored', () => {
  for (const member of ['name', 'enabled', 'additionalAudiences', 'requiredClaims', 'tags']) {
    assert.ok(writable.includes(member), member)
  }
  assert.deepEqual(
    readOnly.filter((member) => !['_links', 'id', 'createdAt', 'updatedAt'].includes(member)),
    [
      'fingerprint',
      'commonName',
      'notBefore',
      'notAfter',
      'jwksAuthorizationSet',
      'sharedSignalsUrl',
      'backchannelLogoutUrl',
      'scimUrl',
      'trust',
    ],
  )
  assert.ok(!writable.some((member) => readOnly.includes(member)))
})

test('a flag has the name, kind and help of the notes, or of its member', () => {
  const byMember = new Map(fields.map(({ member, ...flag }) => [member, flag]))
  assert.deepEqual(byMember.get('clockSkewSeconds'), {
    flag: 'clock-skew-seconds',
    kind: 'number',
    value: 'N',
    description: SIGNER.members.clockSkewSeconds.notes.description,
  })
  assert.deepEqual([byMember.get('certPem')?.flag, byMember.get('certPem')?.kind], ['cert', 'file'])
  assert.equal(byMember.get('useExternalId')?.kind, 'switch')
  assert.match(byMember.get('targetToken')?.description ?? '', /: ACCESS or ID$/)
  const audiences = byMember.get('additionalAudiences')
  assert.deepEqual([audiences?.flag, audiences?.kind], ['additional-audience', 'list'])
  assert.match(audiences?.description ?? '', /can be repeated$/)
  for (const member of ['name', 'enabled', 'requiredClaims', 'tags', 'fingerprint']) {
    assert.ok(!byMember.has(member), member)
  }
})

test('nested members are named by their path', () => {
  const deep = group({ flag: field({ type: 'boolean' } as never, { description: 'Whether' }) })
  const { fields, writable, innerMembers } = deriveMembers({ outer: group({ deep }) })
  assert.deepEqual(writable, ['outer'])
  assert.deepEqual(innerMembers, { outer: ['deep'], 'outer.deep': ['flag'] })
  assert.deepEqual(fields, [{ flag: 'flag', member: 'outer.deep.flag', kind: 'switch', description: 'Whether' }])
})
