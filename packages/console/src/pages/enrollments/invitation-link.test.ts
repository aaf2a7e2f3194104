import assert from 'node:assert/strict'
import { test } from 'node:test'
import { invitationLink, readInvitation } from './invitation-link.ts'

const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
const JWT = `${part({ alg: 'ES256' })}.${part({ iss: 'https://ctrl.example', em: 'updb', jti: 't', sub: 'i', exp: 1_800_000_000 })}.AAAA`

test('a link carries its token in the fragment, and is read back', () => {
  const link = new URL(invitationLink('https://ctrl.example:1280', JWT))
  assert.equal(`${link.origin}${link.pathname}${link.search}`, 'https://ctrl.example:1280/console/enroll')
  const { method, token, jwt, expiresAt } = readInvitation(link.hash) ?? {}
  assert.deepEqual([method, token, jwt, expiresAt?.toISOString()], ['updb', 't', JWT, '2027-01-15T08:00:00.000Z'])
})

test('a fragment without an enrollment token is no invitation', () => {
  for (const fragment of ['', '#', '#token=', '#token=opaque', `#token=${part({})}.${part({ iss: 'x' })}.A`]) {
    assert.equal(readInvitation(fragment), undefined, fragment)
  }
})
