import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readClientData } from './client-data.ts'

const encode = (text: string) => Buffer.from(text).toString('base64url')
const GIVEN = '"type":"webauthn.get","challenge":"AAAA","origin":"https://localhost:1280"'

test('reads what browsers write', () => {
  const read = { type: 'webauthn.get', challenge: 'AAAA', origin: 'https://localhost:1280', isCrossOrigin: false }
  assert.deepEqual(readClientData(encode(`{${GIVEN}}`)), read)
  assert.deepEqual(readClientData(encode(`{${GIVEN},"crossOrigin":false,"other_keys_can_be_added_here":"x"}`)), read)
})

test('knows that the page was in a frame of another origin', () => {
  for (const member of ['"crossOrigin":true', '"crossOrigin":"yes"', '"topOrigin":"https://evil.example"']) {
    assert.equal(readClientData(encode(`{${GIVEN},${member}}`))?.isCrossOrigin, true)
  }
})

test('refuses what is not strict JSON with these members', () => {
  const refused = [
    encode('not json'),
    encode('[]'),
    encode(`{${GIVEN},"origin":"https://evil.example"}`),
    encode('{"type":"webauthn.get","challenge":"AAAA"}'),
    encode('{"type":1,"challenge":"AAAA","origin":"https://localhost"}'),
    encode('{"type":"webauthn.get","challenge":null,"origin":"https://localhost"}'),
    `${encode(`{${GIVEN}}`)}=`,
    'not base64url!',
  ]
  for (const text of refused) assert.equal(readClientData(text), undefined, text)
})
