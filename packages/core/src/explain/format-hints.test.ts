import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { assertHints, tokenOf } from './explain.fixture.ts'

const CLAIMS = { iss: 'https://idp.example/a', aud: 'api://countersign' }
const GOOD = tokenOf(CLAIMS)
const [HEADER = '', PAYLOAD = '', SIGNATURE = ''] = GOOD.split('.')
const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')

describe('hints on the form of a token', () => {
  it('D18 tells of an opaque token', async () => {
    const opaque = [
      'gho_16C7e42F292c6912E7710c838347Ae178B4a',
      'ya29.a0AfH6SMBx-someGoogleAccessToken',
      'v4.public.eyJzdWIiOiJhbGljZSJ9_c2lnbmF0dXJl',
      '7b2d1e0a-0d1c-4b8e-9a53-0d3cf4dd3c53',
      'aaaa.bbbb.cccc',
    ]
    for (const token of opaque) await assertHints(token, ['token-opaque'])
    await assertHints(GOOD, [])
  })

  it('D18 tells of an encrypted token of five parts', async () => {
    const header = encode({ alg: 'RSA-OAEP', enc: 'A256GCM', kid: 'a' })
    const jwe = `${header}.${'k'.repeat(64)}.aXY.${'c'.repeat(64)}.dGFn`
    await assertHints(jwe, ['token-encrypted'])
    // What Auth0 answers when it was asked for no audience.
    await assertHints(`${encode({ alg: 'dir', enc: 'A256GCM' })}..aXY.${'c'.repeat(64)}.dGFn`, ['token-encrypted'])
    await assertHints(GOOD, [])
  })

  it('tells what was pasted besides the token, and that the token is fine', async () => {
    const pasted = {
      [`Bearer ${GOOD}`]: /the word "Bearer" besides/,
      [`bearer\t${GOOD}`]: /the word "Bearer" besides/,
      [`Authorization: Bearer ${GOOD}`]: /the name of the header and the word "Bearer" besides/,
      [`"${GOOD}"`]: /has quotes besides/,
      [`'Bearer ${GOOD}'`]: /quotes and the word "Bearer" besides/,
      [`${GOOD}\n`]: /white space around it besides/,
      [`${GOOD.slice(0, 76)}\n${GOOD.slice(76, 152)}\r\n${GOOD.slice(152)}`]: /line breaks or spaces besides/,
    }
    for (const [token, expected] of Object.entries(pasted)) {
      const text = await assertHints(token, ['pasted-with-more'])
      assert.match(text, expected)
      assert.match(text, /paste the token alone, which is of the right form$/)
    }
    await assertHints(`Bearer ${GOOD.slice(0, 100)}`, ['pasted-with-more', 'token-truncated'])
    await assertHints('Bearer gho_16C7e42F292c6912E7710c838347Ae178B4a', ['pasted-with-more', 'token-opaque'])
    await assertHints(GOOD, [])
  })

  it('tells of the whole answer of a provider, of JSON that is none, and of nothing at all', async () => {
    const answer = JSON.stringify({ access_token: GOOD, id_token: GOOD, expires_in: 300 })
    assert.match(await assertHints(answer, ['pasted-answer']), /the value of "access_token"/)
    assert.match(await assertHints(JSON.stringify({ id_token: GOOD }), ['pasted-answer']), /the value of "id_token"/)
    const jsonForm = { payload: PAYLOAD, protected: HEADER, signature: SIGNATURE }
    await assertHints(JSON.stringify(jsonForm), ['token-json-form'])
    for (const nothing of ['', '  \n', '""', 'Bearer']) await assertHints(nothing, ['token-empty'])
    await assertHints(GOOD, [])
  })

  it('tells of a token that was cut', async () => {
    const cut = [
      HEADER,
      `${HEADER}.${PAYLOAD}`,
      `${HEADER}.${PAYLOAD.slice(0, -20)}`,
      `${HEADER}.${PAYLOAD}.${SIGNATURE.slice(0, 25)}`,
      `${GOOD.slice(0, 120)}...`,
      `${HEADER}.${PAYLOAD.slice(0, 20)}…${PAYLOAD.slice(30)}.${SIGNATURE}`,
    ]
    for (const token of cut) await assertHints(token, ['token-truncated'])
    await assertHints(GOOD, [])
  })

  it('tells of two tokens in one text', async () => {
    await assertHints(`${GOOD}.${PAYLOAD}`, ['token-two-pasted'])
    await assertHints(`${GOOD}\n${GOOD}`, ['pasted-with-more', 'token-two-pasted'])
    await assertHints(GOOD, [])
  })

  it('tells of padding and of the other base64', async () => {
    await assertHints(`${HEADER}=.${PAYLOAD}.${SIGNATURE}`, ['token-standard-base64'])
    await assertHints(`${GOOD}==`, ['token-standard-base64'])
    await assertHints(`${HEADER}.${PAYLOAD}+/.${SIGNATURE}`, ['token-standard-base64'])
    await assertHints(GOOD, [])
  })

  it('tells of everything else that is wrong with the form', async () => {
    assert.match(
      await assertHints(tokenOf({}, { rawClaims: '{"a":1,"a":2}' }), ['token-malformed']),
      /claims: the name/,
    )
    await assertHints(tokenOf({}, { header: { alg: undefined } }), ['token-malformed'])
    await assertHints(tokenOf({ ...CLAIMS, groups: 'g'.repeat(13_000) }), ['token-too-large'])
    await assertHints(tokenOf(CLAIMS, { header: { cty: 'JWT' } }), ['token-nested'])
    await assertHints(tokenOf(CLAIMS, { header: { crit: ['exp'] } }), ['header-not-understood'])
    await assertHints(tokenOf(CLAIMS, { header: { typ: 'logout+jwt' } }), ['type-not-accepted'])
    await assertHints(tokenOf(CLAIMS, { header: { typ: 'at+jwt' } }), [])
  })
})
