import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ControllerClient } from '@countersign/sdk'
import { findPolicyWarnings, listAllowed, withDefaultMethods } from '../src/resources/policy-methods.ts'
import { withoutSecrets } from '../src/resources/without-secrets.ts'

test('a policy without methods allows all; with methods only those; without some all the others', () => {
  const allowedOf = (primary: object) => listAllowed(withDefaultMethods({ primary }).primary)
  assert.deepEqual(listAllowed(withDefaultMethods({}).primary), ['cert', 'extJwt', 'updb'])
  assert.deepEqual(allowedOf({ extJwt: { allowedSigners: ['a'] } }), ['cert', 'extJwt', 'updb'])
  assert.deepEqual(allowedOf({ extJwt: { allowed: true } }), ['extJwt'])
  assert.deepEqual(allowedOf({ updb: { allowed: false } }), ['cert', 'extJwt'])
  assert.deepEqual(allowedOf({ passkey: { allowed: true } }), ['passkey'])
  assert.deepEqual(allowedOf({ updb: { allowed: false }, cert: { allowed: true } }), ['cert'])
})

const SIGNERS = [
  { id: 'on', enabled: true },
  { id: 'off', enabled: false },
]

function warningsOf(primary: object, secondary: object = {}, signers = SIGNERS): Promise<string[]> {
  const policy = withDefaultMethods({ primary, secondary })
  return findPolicyWarnings({ id: 'p', ...policy }, {
    signers: { all: async () => signers },
  } as unknown as ControllerClient)
}

test('a policy that admits no one is warned about, and one that differs in one thing is not', async () => {
  const NONE = { cert: { allowed: false }, extJwt: { allowed: false }, updb: { allowed: false } }
  assert.match((await warningsOf(NONE)).join(), /allows no login method/)
  assert.deepEqual(await warningsOf({ ...NONE, cert: { allowed: true } }), [])
  assert.deepEqual(await warningsOf({ ...NONE, passkey: { allowed: true } }), [])
  const jwt = (allowedSigners: string[]) => ({ extJwt: { allowed: true, allowedSigners } })
  assert.match((await warningsOf(jwt(['off']))).join(), /none of its signers is enabled/)
  assert.deepEqual(await warningsOf(jwt(['off', 'on'])), [])
  assert.deepEqual(await warningsOf(jwt([])), [])
  assert.match((await warningsOf(jwt([]), {}, [])).join(), /none of its signers is enabled/)
  assert.match((await warningsOf({}, { requireExtJwtSigner: 'off' })).join(), /requires a token of a signer/)
  assert.deepEqual(await warningsOf({}, { requireExtJwtSigner: 'on' }), [])
})

test('Q-31 show and list have no one-time tokens, and keep tags and claims of that name', () => {
  const ott = { id: 'e', token: 'secret', jwt: 'secret', expiresAt: 'later' }
  const tags = { token: 'of the tag', password: 'too' }
  assert.deepEqual(
    withoutSecrets({ id: 'i', tags, enrollment: { ott, updb: { ...ott, username: 'u' } }, jwt: 'secret' }),
    {
      id: 'i',
      tags,
      enrollment: { ott: { id: 'e', expiresAt: 'later' }, updb: { id: 'e', expiresAt: 'later', username: 'u' } },
    },
  )
})
