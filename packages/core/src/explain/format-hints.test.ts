import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { assertHints, tokenOf } from './explain.fixture.ts'

const CLAIMS = { iss: 'https://idp.example/a', aud: 'api://countersign' }
const VALID = tokenOf(CLAIMS)
const [HEADER = '', PAYLOAD = '', SIGNATURE = ''] = VALID.split('.')
const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')

describe('hints on the format of a token', () => {
  it('D18 recognises an opaque token', async () => {
    const opaque = [
      'gho_16C7e42F292c6912E7710c838347Ae178B4a',
      'ya29.a0AfH6SMBx-someGoogleAccessToken',
      'v4.public.eyJzdWIiOiJhbGljZSJ9_c2lnbmF0dXJl',
      '7b2d1e0a-0d1c-4b8e-9a53-0d3cf4dd3c53',
      'aaaa.bbbb.cccc',
    ]
    for (const token of opaque) await assertHints(token, ['token-opaque'])
    await assertHints(VALID, [])
  })

  it('D18 recognises an encrypted token by its five parts', async () => {
    const header = encode({ alg: 'RSA-OAEP', enc: 'A256GCM', kid: 'a' })
    const jwe = `${header}.${'k'.repeat(64)}.aXY.${'c'.repeat(64)}.dGFn`
    await assertHints(jwe, ['token-encrypted'])
    // The response of Auth0 to a request without audience.
    await assertHints(`${encode({ alg: 'dir', enc: 'A256GCM' })}..aXY.${'c'.repeat(64)}.dGFn`, ['token-encrypted'])
    await assertHints(VALID, [])
  })

  it('names what was pasted besides the token, and says that the token is well-formed', async () => {
    const pasted = {
      [`Bearer ${VALID}`]: /the word "Bearer" besides/,
      [`bearer\t${VALID}`]: /the word "Bearer" besides/,
      [`Authorization: Bearer ${VALID}`]: /the name of the header and the word "Bearer" besides/,
      [`"${VALID}"`]: /has quotes besides/,
      [`'Bearer ${VALID}'`]: /quotes and the word "Bearer" besides/,
      [`${VALID}\n`]: /white space around it besides/,
      [`${VALID.slice(0, 76)}\n${VALID.slice(76, 152)}\r\n${VALID.slice(152)}`]: /line breaks or spaces besides/,
    }
    for (const [token, expected] of Object.entries(pasted)) {
      const text = await assertHints(token, ['pasted-with-more'])
      assert.match(text, expected)
      assert.match(text, /paste only the token, which is well-formed$/)
    }
    await assertHints(`Bearer ${VALID.slice(0, 100)}`, ['pasted-with-more', 'token-truncated'])
    await assertHints('Bearer gho_16C7e42F292c6912E7710c838347Ae178B4a', ['pasted-with-more', 'token-opaque'])
    await assertHints(VALID, [])
  })

  it('recognises a whole token response, other JSON, and an empty text', async () => {
    const response = JSON.stringify({ access_token: VALID, id_token: VALID, expires_in: 300 })
    assert.match(await assertHints(response, ['pasted-response']), /the value of "access_token"/)
    assert.match(await assertHints(JSON.stringify({ id_token: VALID }), ['pasted-response']), /the value of "id_token"/)
    await assertHints(response.slice(0, -1), ['token-opaque'])
    const jsonForm = { payload: PAYLOAD, protected: HEADER, signature: SIGNATURE }
    await assertHints(JSON.stringify(jsonForm), ['token-json-form'])
    for (const empty of ['', '  \n', '""', 'Bearer']) await assertHints(empty, ['token-empty'])
    await assertHints(VALID, [])
  })

  it('recognises a truncated token', async () => {
    const truncated = [
      HEADER,
      `${HEADER}.${PAYLOAD}`,
      `${HEADER}.${PAYLOAD.slice(0, -20)}`,
      `${HEADER}.${PAYLOAD}.${SIGNATURE.slice(0, 25)}`,
      `${VALID.slice(0, 120)}...`,
      `${HEADER}.${PAYLOAD.slice(0, 20)}…${PAYLOAD.slice(30)}.${SIGNATURE}`,
    ]
    for (const token of truncated) await assertHints(token, ['token-truncated'])
    await assertHints(VALID, [])
  })

  it('recognises two tokens in one text', async () => {
    await assertHints(`${VALID}.${PAYLOAD}`, ['token-two-pasted'])
    await assertHints(`${VALID}\n${VALID}`, ['pasted-with-more', 'token-two-pasted'])
    await assertHints(VALID, [])
  })

  it('recognises padding and standard base64', async () => {
    await assertHints(`${HEADER}=.${PAYLOAD}.${SIGNATURE}`, ['token-standard-base64'])
    await assertHints(`${VALID}==`, ['token-standard-base64'])
    await assertHints(`${HEADER}.${PAYLOAD}+/.${SIGNATURE}`, ['token-standard-base64'])
    await assertHints(VALID, [])
  })

  it('has hints for all other format errors', async () => {
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
