import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { assertHints, NOW, signerOf, tokenOf } from './explain.fixture.ts'

const token = (times: Record<string, unknown>): string =>
  tokenOf({ iss: 'https://idp.example/a', aud: 'api://countersign', ...times })
const withSkew = (clockSkewSeconds: number) => ({ signers: [signerOf({ clockSkewSeconds })] })

describe('hints on time', () => {
  it('D7 D18 says how many seconds ago a token expired, and which clock skew would suffice', async () => {
    const late = token({ exp: NOW - 42 })
    const text = await assertHints(late, ['expired-just-now'])
    assert.match(text, /expired 42 seconds ago.*clockSkewSeconds of the signer, now 0, to at least 43$/)
    await assertHints(late, ['expired-just-now'], withSkew(42))
    await assertHints(late, [], withSkew(43))
    assert.match(await assertHints(token({ exp: NOW }), ['expired-just-now']), /to at least 1$/)
    const minutes = await assertHints(token({ exp: NOW - 130, iat: NOW - 600 }), ['expired-just-now'])
    assert.match(minutes, /expired 2 minutes ago/)
    assert.doesNotMatch(minutes, /clockSkewSeconds/)
  })

  it('says how long ago an old token expired', async () => {
    const text = await assertHints(token({ iat: NOW - 300_000, exp: NOW - 3 * 86_400 }), ['expired-long-ago'])
    assert.match(text, /expired at 2026-05-29T12:00:00.000Z, 3 days ago: get a new one/)
    await assertHints(token({ exp: NOW + 1 }), [])
  })

  it('D7 says how far ahead nbf is, and which clock skew would suffice', async () => {
    const early = token({ nbf: NOW + 5 })
    const text = await assertHints(early, ['not-yet-valid'])
    assert.match(text, /5 seconds from now \(nbf\).*to at least 5$/)
    await assertHints(early, ['not-yet-valid'], withSkew(4))
    await assertHints(early, [], withSkew(5))
  })

  it('D7 says how far ahead iat is, beyond the minute that is always allowed', async () => {
    const early = token({ iat: NOW + 70 })
    const text = await assertHints(early, ['issued-in-future'])
    assert.match(text, /issued 70 seconds from now \(iat\).*to at least 10$/)
    await assertHints(early, ['issued-in-future'], withSkew(9))
    await assertHints(early, [], withSkew(10))
    assert.doesNotMatch(await assertHints(token({ iat: NOW + 500 }), ['issued-in-future']), /clockSkewSeconds/)
  })

  it('gives a hint for invalid dates, such as milliseconds', async () => {
    await assertHints(token({ exp: (NOW + 600) * 1000 }), ['expiry-in-milliseconds'])
    await assertHints(token({ exp: undefined }), ['expiry-unusable'])
    await assertHints(token({ exp: '2026-06-01' }), ['expiry-unusable'])
    await assertHints(token({ nbf: 'now' }), ['not-before-unusable'])
    await assertHints(token({ iat: 'now' }), ['issued-at-unusable'])
    await assertHints(token({ iat: NOW + 20, exp: NOW + 10 }), ['issued-at-unusable'])
    await assertHints(token({ iat: NOW + 5, exp: NOW + 10, nbf: NOW }), [])
  })

  it('D7 gives a hint for a lifetime beyond what the signer allows', async () => {
    const limited = { signers: [signerOf({ maxTokenAgeSeconds: 600 })] }
    assert.match(await assertHints(token({}), ['lifetime-too-long'], limited), /valid for 660 s, .* allows 600 s/)
    await assertHints(token({ exp: NOW + 540 }), [], limited)
    assert.match(await assertHints(token({ iat: undefined }), ['issued-at-unusable'], limited), /maxTokenAgeSeconds/)
  })
})
