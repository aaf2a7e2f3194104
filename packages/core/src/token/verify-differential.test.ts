import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MINT_ALGORITHMS, type MintKey, mintKey, mintToken, signBytes } from '@countersign/testkit'
import fc from 'fast-check'
import { createLocalJWKSet, type JWK, jwtVerify, SignJWT } from 'jose'
import { ALGORITHMS } from '../key/algorithms.ts'
import type { RefusalReason } from './verdict.ts'
import { AUDIENCE, claimsWith, ISSUER, keysOf, NOW, NOW_MS, SIGNER } from './verify.fixture.ts'
import { verifyToken } from './verify-token.ts'

const RUNS = 2000
const MINT_KEYS = [mintKey('RSA'), mintKey('P-256'), mintKey('P-384'), mintKey('P-521'), mintKey('Ed25519')]
const OTHER_KEY = mintKey('P-256', 'other')
const KEYS = keysOf(...MINT_KEYS)
const joseKeys = createLocalJWKSet({ keys: MINT_KEYS.map(({ jwk }) => jwk as JWK) })

async function joseAccepts(token: string): Promise<boolean> {
  try {
    await jwtVerify(token, joseKeys, {
      issuer: ISSUER,
      audience: AUDIENCE,
      algorithms: [...ALGORITHMS.keys()],
      currentDate: new Date(NOW_MS),
      requiredClaims: ['exp'],
    })
    return true
  } catch {
    return false
  }
}

/** The reasons for which we are deliberately stricter than jose. */
const STRICTER: ReadonlySet<RefusalReason> = new Set([
  'token-malformed',
  'token-nested',
  'token-encrypted',
  'header-not-understood',
  'type-not-accepted',
  'kid-missing',
  'expiry-unusable',
  'token-issued-in-future',
  'issued-at-unusable',
  'not-before-unusable',
  'identity-claim-unusable',
  'audience-mismatch',
  'possession-not-proven',
])

const hostileClaims = fc.record(
  {
    iss: fc.constantFrom<unknown>(ISSUER, `${ISSUER}/`, null, [ISSUER], 7),
    aud: fc.constantFrom<unknown>(
      AUDIENCE,
      [AUDIENCE],
      ['x', AUDIENCE],
      ['x'],
      [],
      null,
      [AUDIENCE, 7],
      { a: AUDIENCE },
      `${AUDIENCE}x`,
    ),
    exp: fc.constantFrom<unknown>(NOW - 1, NOW, NOW + 1, NOW + 0.5, 0, -1, 1e300, null, `${NOW + 60}`, true),
    nbf: fc.constantFrom<unknown>(NOW - 1, NOW, NOW + 1, 0, -1, null, `${NOW}`),
    iat: fc.constantFrom<unknown>(NOW - 1, NOW + 30, NOW + 61, -1, null, `${NOW}`),
    sub: fc.constantFrom<unknown>('bob', '', null, 7, 'a\0b', ['bob']),
    cnf: fc.constantFrom<unknown>({ jkt: 'x' }),
  },
  { requiredKeys: [] },
)
const hostileHeader = fc.record(
  {
    alg: fc.constantFrom<unknown>(...ALGORITHMS.keys(), 'none', 'HS256', '', null, 7),
    kid: fc.constantFrom<unknown>(...MINT_KEYS.map(({ kid }) => kid), 'unknown', '', null, 7),
    typ: fc.constantFrom<unknown>('at+jwt', 'logout+jwt', null),
    crit: fc.constantFrom<unknown>(['exp'], ['b64'], [], 'x'),
    b64: fc.boolean(),
    cty: fc.constantFrom<unknown>('JWT', 'x'),
    jwk: fc.constant(OTHER_KEY.jwk),
  },
  { requiredKeys: [] },
)
const hostileEdit = fc.oneof(
  { weight: 4, arbitrary: fc.constant((token: string) => token) },
  fc.tuple(fc.nat(400), fc.constantFrom('A', '_', '.', '=', ' ', '\n', '+', '')).map(
    ([at, text]) =>
      (token: string) =>
        token.slice(0, at) + text + token.slice(at + 1),
  ),
  fc.constantFrom('=', '==', '.', ' ', '\n', 'A').map((text) => (token: string) => token + text),
  fc.integer({ min: 1, max: 100 }).map((cut) => (token: string) => token.slice(0, -cut)),
)

test('every token that we accept, jose accepts; what only jose accepts, we refuse for a listed reason', async () => {
  let accepted = 0
  let refused = 0
  const hostileToken = fc.record({
    key: fc.constantFrom(...MINT_KEYS, OTHER_KEY),
    alg: fc.nat(5),
    header: hostileHeader,
    claims: hostileClaims,
    validHeader: fc.boolean(),
    validClaims: fc.boolean(),
    edit: hostileEdit,
  })
  await fc.assert(
    fc.asyncProperty(hostileToken, async ({ key, alg, header, claims, validHeader, validClaims, edit }) => {
      const token = edit(
        mintToken({
          key,
          alg: algorithmOf(key, alg),
          header: validHeader ? {} : header,
          claims: claimsWith(validClaims ? {} : claims),
        }),
      )
      const [ours, jose] = await Promise.all([verifyToken(token, SIGNER, KEYS, NOW_MS), joseAccepts(token)])
      if (ours.accepted) accepted += 1
      else refused += 1
      if (ours.accepted) assert.ok(jose, token)
      else assert.ok(!jose || STRICTER.has(ours.reason), `${ours.reason}: ${token}`)
    }),
    { numRuns: RUNS },
  )
  assert.ok(accepted > RUNS / 50 && refused > RUNS / 4, `${accepted} accepted, ${refused} refused`)
})

test('every token that jose signs with valid claims is accepted', async () => {
  for (const key of MINT_KEYS) {
    for (const alg of MINT_ALGORITHMS[key.kind]) {
      const token = await new SignJWT(claimsWith()).setProtectedHeader({ alg, kid: key.kid }).sign(key.privateKey)
      assert.equal((await verifyToken(token, SIGNER, KEYS, NOW_MS)).reason, 'accepted', alg)
    }
  }
})

test('valid tokens with any further claims are accepted by both', async () => {
  const further = fc.dictionary(
    fc.string({ maxLength: 6 }).filter((name) => !(name in claimsWith()) && !['nbf', 'cnf'].includes(name)),
    fc.oneof(
      fc.string(),
      fc.boolean(),
      fc.maxSafeInteger(),
      fc.double({ noNaN: true, noDefaultInfinity: true, maxExcluded: true, max: 1e15, min: -1e15 }),
    ),
    { maxKeys: 4 },
  )
  await fc.assert(
    fc.asyncProperty(further, fc.constantFrom(...MINT_KEYS.slice(1)), async (claims, key) => {
      const token = mintToken({ key, claims: { ...claims, ...claimsWith() } })
      assert.equal((await verifyToken(token, SIGNER, KEYS, NOW_MS)).reason, 'accepted')
      assert.equal(await joseAccepts(token), true)
    }),
    { numRuns: RUNS / 10 },
  )
})

test('jose accepts sixteen encodings of one signature and padding; we accept one encoding', async () => {
  const key = mintKey('P-256')
  const token = mintToken({ key, claims: claimsWith(), sign: (input) => signBytes('ES256', key.privateKey, input) })
  for (const spelling of [`${token}==`, `${token} `, `${token}\n`]) {
    assert.equal(await joseAccepts(spelling), true)
    assert.equal((await verifyToken(spelling, SIGNER, KEYS, NOW_MS)).reason, 'token-malformed')
  }
})

function algorithmOf(key: MintKey, choice: number) {
  const algorithms = MINT_ALGORITHMS[key.kind]
  return algorithms[choice % algorithms.length] ?? 'ES256'
}
