import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mintKey, mintToken } from '@countersign/testkit'
import fc from 'fast-check'
import { MAX_TOKEN_LENGTH, readJws } from './read-jws.ts'
import {
  assertAccepted,
  assertRefused,
  claimsWith,
  KEY,
  KEYS,
  keysOf,
  NOW_MS,
  SIGNER,
  tokenWith,
} from './verify.fixture.ts'
import { verifyToken } from './verify-token.ts'

const FUZZ_RUNS = 2000
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

/** A signed token whose claims are exactly this text. */
const claimsText = (text: string | Buffer): string => mintToken({ key: KEY, rawClaims: text })
const CLAIMS_TEXT = JSON.stringify(claimsWith())
const withMember = (member: string): string => `${CLAIMS_TEXT.slice(0, -1)},${member}}`

test('B-01 refuses padding, the other base64 alphabet and white space in any part', async () => {
  const token = tokenWith()
  await assertAccepted(token)
  const parts = token.split('.')
  for (let part = 0; part < 3; part += 1) {
    for (const junk of ['=', '==', ' ', '\t', '\r', '\n', '\0', '+', '/', '%', '~', 'é']) {
      const at = (text: string): string => parts.map((original, index) => (index === part ? text : original)).join('.')
      const original = parts[part] ?? ''
      await assertRefused(at(original + junk), 'token-malformed')
      await assertRefused(at(junk + original), 'token-malformed')
      await assertRefused(at(original.slice(0, 5) + junk + original.slice(5)), 'token-malformed')
      await assertRefused(at(original.slice(0, -1) + junk), 'token-malformed')
    }
  }
  for (const around of [` ${token}`, `${token} `, `${token}\n`, `"${token}"`, `Bearer ${token}`])
    await assertRefused(around, 'token-malformed')
})

test('B-02 accepts one of sixteen encodings of a signature', async () => {
  const key = mintKey('RSA')
  const token = tokenWith({}, { key })
  const accepted: string[] = []
  const original = ALPHABET.indexOf(token.at(-1) ?? '')
  assert.equal(original % 16, 0)
  for (let bits = 0; bits < 16; bits += 1) {
    const spelling = token.slice(0, -1) + ALPHABET[original + bits]
    const verdict = await verifyToken(spelling, SIGNER, keysOf(key), NOW_MS)
    if (verdict.accepted) accepted.push(spelling)
  }
  assert.deepEqual(accepted, [token])
})

test('B-03 refuses a token longer than 12 KiB and accepts one of exactly 12 KiB', async () => {
  const emptyLength = tokenWith({ filler: '' }).length
  // Three characters of claims are four of the token; the header pads the remainder.
  const filler = 'x'.repeat(Math.floor(((MAX_TOKEN_LENGTH - emptyLength) * 3) / 4) - 24)
  let token = tokenWith({ filler })
  for (let pad = 0; token.length < MAX_TOKEN_LENGTH; pad += 1)
    token = tokenWith({ filler }, { header: { pad: 'x'.repeat(pad) } })
  assert.equal(token.length, MAX_TOKEN_LENGTH)
  await assertAccepted(token)
  await assertRefused(`${token}A`, 'token-too-large')
  await assertRefused('A'.repeat(1024 * 1024), 'token-too-large')
})

test('B-04 refuses claims deeper than 32 levels', async () => {
  const nested = (levels: number): string => withMember(`"x":${'['.repeat(levels)}${']'.repeat(levels)}`)
  await assertAccepted(claimsText(nested(31)))
  for (const levels of [32, 65, 4000]) await assertRefused(claimsText(nested(levels)), 'token-malformed')
  await assertRefused(claimsText(nested(500_000)), 'token-too-large')
})

test('B-05 refuses more than a thousand members', async () => {
  const members = (count: number): string =>
    withMember(Array.from({ length: count }, (_, index) => `"${index}":0`).join(','))
  await assertAccepted(claimsText(members(995)))
  await assertRefused(claimsText(members(996)), 'token-malformed')
  await assertRefused(claimsText(members(1100)), 'token-malformed')
})

test('B-06 refuses a claim that appears twice', async () => {
  await assertAccepted(claimsText(withMember('"x":1')))
  for (const member of ['"aud":"other"', '"sub":"bob"', '"\\u0073ub":"bob"', '"exp":9999999999', '"x":{"y":1,"y":1}']) {
    await assertRefused(claimsText(withMember(member)), 'token-malformed')
  }
})

test('B-07 refuses malformed text, and an identity claim with noncharacters', async () => {
  await assertAccepted(claimsText(withMember('"x":"é\\ud83d\\ude00"')))
  await assertRefused(claimsText(`\ufeff${CLAIMS_TEXT}`), 'token-malformed')
  await assertRefused(claimsText(withMember('"x":"\\ud800"')), 'token-malformed')
  for (const bytes of [[0xff], [0xc0, 0xaf], [0xed, 0xa0, 0x80], [0xe9]]) {
    const [head = '', tail = ''] = withMember('"x":"@"').split('@')
    await assertRefused(
      claimsText(Buffer.concat([Buffer.from(head), Buffer.from(bytes), Buffer.from(tail)])),
      'token-malformed',
    )
  }
  await assertAccepted(tokenWith({ sub: 'álîçé 😀' }))
  for (const sub of [
    'a\0b',
    '\0',
    'a\nb',
    'a\u0085b',
    'a\ufffe',
    'a\uffff',
    '\ufdd0',
    '\u{1fffe}',
    'a\u007f',
    '\u001b[31m',
  ]) {
    await assertRefused(tokenWith({ sub }), 'identity-claim-unusable')
  }
})

test('B-08 refuses claims that are not an object', async () => {
  await assertAccepted(claimsText(CLAIMS_TEXT))
  for (const text of ['[]', '"x"', '1', 'null', 'true', '', ' '])
    await assertRefused(claimsText(text), 'token-malformed')
  await assertRefused(claimsText('{}'), 'issuer-mismatch')
})

test('B-09 refuses claims that are not JSON', async () => {
  await assertAccepted(claimsText(` \n${CLAIMS_TEXT}\t`))
  for (const text of [
    `${CLAIMS_TEXT}{}`,
    `${CLAIMS_TEXT},`,
    CLAIMS_TEXT.slice(0, -1),
    withMember(''),
    withMember('x:1'),
    withMember("'x':1"),
    withMember('"x":01'),
    withMember('"x":NaN'),
    withMember('"x":"\t"'),
    `/**/${CLAIMS_TEXT}`,
  ]) {
    await assertRefused(claimsText(text), 'token-malformed')
  }
})

test('B-10 never rounds a number into an identity', async () => {
  const signer = { ...SIGNER, claimsProperty: { text: '/uid', segments: ['uid'] } }
  await assertAccepted(tokenWith({ uid: '9007199254740993' }), { signer })
  await assertRefused(claimsText(withMember('"uid":1e400')), 'token-malformed', { signer })
  for (const uid of ['1.0000000000000000001', '-0', '42', '9007199254740993'])
    await assertRefused(claimsText(withMember(`"uid":${uid}`)), 'identity-claim-unusable', { signer })
})

test('B-10 a large integer in an unused claim is accepted, and is not a valid time', async () => {
  await assertAccepted(claimsText(withMember('"tenant":9007199254740993')))
  await assertRefused(claimsText(withMember('"nbf":9007199254740993')), 'not-before-unusable')
})

test('no text makes the token reader throw, and every accepted text is canonical', () => {
  const part = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 20 }),
    fc.string({ maxLength: 12 }).map((text) => Buffer.from(text).toString('base64url')),
    fc.jsonValue({ maxDepth: 2 }).map((value) => Buffer.from(JSON.stringify(value)).toString('base64url')),
    fc.constant(tokenWith().split('.')[0] ?? ''),
  )
  fc.assert(
    fc.property(fc.array(part, { minLength: 1, maxLength: 5 }), (parts) => {
      const token = parts.join('.')
      const reading = readJws(token)
      if (reading.ok) assert.equal(`${reading.jws.signingInput}.${reading.jws.signature.toString('base64url')}`, token)
    }),
    { numRuns: FUZZ_RUNS },
  )
})

test('a valid token with any one character changed is refused', async () => {
  const token = tokenWith()
  await assertAccepted(token)
  await fc.assert(
    fc.asyncProperty(
      fc.nat(token.length - 1),
      fc.constantFrom(...ALPHABET, '.', '=', ' ', '\0', 'é'),
      async (at, character) => {
        const changed = token.slice(0, at) + character + token.slice(at + 1)
        const { accepted } = await verifyToken(changed, SIGNER, KEYS, NOW_MS)
        assert.equal(accepted, changed === token)
      },
    ),
    { numRuns: FUZZ_RUNS },
  )
})
