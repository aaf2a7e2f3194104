import { createPublicKey, generateKeyPairSync } from 'node:crypto'
import { test } from 'node:test'
import { assembleToken, mintKey, mintKeyFrom, mintKeySet, mintToken, signBytes } from '@countersign/testkit'
import type { RefusalReason } from './verdict.ts'
import { assertAccepted, assertRefused, claimsWith, KEY, KEYS, keysOf, tokenWith } from './verify.fixture.ts'

const RSA = mintKey('RSA')
const CLAIMS = JSON.stringify(claimsWith())
const nothing = (): Buffer => Buffer.alloc(0)
const headerText = (members: string): string => `{"kid":"${KEY.kid}",${members}}`

test('A-01 A-03 refuses alg none and an empty signature', async () => {
  await assertAccepted(tokenWith())
  await assertRefused(tokenWith({}, { header: { alg: 'none' }, sign: nothing }), 'algorithm-not-allowed')
  await assertRefused(tokenWith({}, { header: { alg: 'none' } }), 'algorithm-not-allowed')
  await assertRefused(tokenWith({}, { sign: nothing }), 'signature-invalid')
})

test('A-02 refuses every spelling of none', async () => {
  await assertAccepted(
    assembleToken(headerText('"alg":"ES256"'), CLAIMS, (input) => signBytes('ES256', KEY.privateKey, input)),
  )
  const spellings: [string, RefusalReason][] = [
    ['"alg":"None"', 'algorithm-not-allowed'],
    ['"alg":"NONE"', 'algorithm-not-allowed'],
    ['"alg":"nOnE"', 'algorithm-not-allowed'],
    ['"alg":"none "', 'algorithm-not-allowed'],
    ['"alg":"n\\u006fne"', 'algorithm-not-allowed'],
    ['"alg":""', 'algorithm-not-allowed'],
    ['"alg":["none"]', 'token-malformed'],
    ['"alg":null', 'token-malformed'],
    ['"alg":{"toString":"none"}', 'token-malformed'],
    ['"typ":"JWT"', 'token-malformed'],
  ]
  for (const [members, reason] of spellings) {
    await assertRefused(assembleToken(headerText(members), CLAIMS, nothing), reason)
    await assertRefused(
      assembleToken(headerText(members), CLAIMS, (input) => signBytes('ES256', KEY.privateKey, input)),
      reason,
    )
  }
})

test('A-04 A-05 refuses a MAC with a public, empty or guessable secret', async () => {
  const keys = keysOf(RSA)
  await assertAccepted(tokenWith({}, { key: RSA }), { keys })
  const pem = RSA.publicKey.export({ format: 'pem', type: 'spki' }).toString()
  const pkcs1 = RSA.publicKey.export({ format: 'pem', type: 'pkcs1' }).toString()
  const secrets = [
    pem,
    ` ${pem}`,
    `\ufeff${pem}`,
    `# key\n${pem}`,
    pem.replaceAll('\n', '\r\n'),
    pem.trimEnd(),
    pkcs1,
    pkcs1.trimEnd(),
    RSA.publicKey.export({ format: 'der', type: 'spki' }),
    RSA.publicKey.export({ format: 'der', type: 'pkcs1' }),
    JSON.stringify(RSA.jwk),
    JSON.stringify(mintKeySet(RSA)),
    String(RSA.jwk.n),
    Buffer.from(String(RSA.jwk.n), 'base64url'),
    '',
    '\0',
    'secret',
    'password',
    'changeme',
    'your-256-bit-secret',
  ]
  for (const alg of ['HS256', 'HS384', 'HS512'] as const) {
    for (const secret of secrets) {
      const mac = (input: Buffer): Buffer => signBytes(alg, secret, input)
      await assertRefused(tokenWith({}, { key: RSA, header: { alg }, sign: mac }), 'algorithm-not-allowed', { keys })
      await assertRefused(tokenWith({}, { key: RSA, header: { alg: 'RS256' }, sign: mac }), 'signature-invalid', {
        keys,
      })
    }
  }
})

test('A-06 D10 refuses an algorithm that the key does not allow', async () => {
  const p384 = mintKey('P-384')
  const ed = mintKey('Ed25519')
  const keys = keysOf(KEY, RSA, p384, ed, { ...RSA.jwk, kid: 'bound', alg: 'RS256' })
  const bound = mintKeyFrom(RSA.privateKey, 'RSA', 'bound')
  await assertAccepted(tokenWith({}, { key: bound, alg: 'RS256' }), { keys })
  for (const alg of ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'] as const)
    await assertAccepted(tokenWith({}, { key: RSA, alg }), { keys })
  for (const key of [KEY, p384, ed]) await assertAccepted(tokenWith({}, { key }), { keys })
  for (const alg of ['RS384', 'PS256', 'PS512'] as const)
    await assertRefused(tokenWith({}, { key: bound, alg }), 'algorithm-not-allowed', { keys })
  const confusions = [
    [RSA, 'ES256'],
    [RSA, 'EdDSA'],
    [KEY, 'RS256'],
    [KEY, 'ES384'],
    [KEY, 'EdDSA'],
    [p384, 'ES256'],
    [p384, 'ES512'],
    [ed, 'ES256'],
    [ed, 'RS256'],
  ] as const
  for (const [key, alg] of confusions)
    await assertRefused(tokenWith({}, { key, header: { alg } }), 'algorithm-not-allowed', { keys })
  // The library would verify ECDSA with the right hash on the wrong curve.
  await assertRefused(tokenWith({}, { key: KEY, alg: 'ES512' }), 'algorithm-not-allowed', { keys })
})

test('A-07 A-08 D10 refuses algorithms outside the list and other spellings of those in it', async () => {
  await assertAccepted(tokenWith())
  for (const alg of [
    'RS1',
    'HS256',
    'ES256K',
    'RSA-OAEP',
    'dir',
    'Ed25519',
    'Ed448',
    'ES521',
    'es256',
    'Es256',
    'ES256 ',
    ' ES256',
    'ES256\0',
    'ЕS256',
    'ES２56',
    '__proto__',
    'constructor',
  ]) {
    await assertRefused(tokenWith({}, { header: { alg } }), 'algorithm-not-allowed')
  }
})

test('A-09 A-10 A-11 never uses a key or a key URL from the header', async () => {
  const attacker = mintKey('P-256', 'attacker')
  await assertAccepted(tokenWith())
  const headers = [
    { jwk: attacker.jwk },
    { jwk: { ...attacker.jwk, kid: KEY.kid } },
    { jku: 'https://canary.example/keys' },
    { x5u: 'http://127.0.0.1/cert' },
    { x5c: [attacker.publicKey.export({ format: 'der', type: 'spki' }).toString('base64')] },
  ]
  for (const header of headers) {
    await assertRefused(
      mintToken({ key: attacker, claims: claimsWith(), header: { ...header, kid: KEY.kid } }),
      'signature-invalid',
    )
    await assertRefused(mintToken({ key: attacker, claims: claimsWith(), header }), 'kid-unknown')
    await assertRefused(
      mintToken({ key: attacker, claims: claimsWith(), header: { ...header, kid: undefined } }),
      'kid-missing',
    )
  }
})

test('A-12 accepts a valid token whose header has unused members', async () => {
  for (const header of [
    { jku: 'https://canary.example/' },
    { x5c: ['AAAA'] },
    { x5t: 'x' },
    { zip: 'DEF' },
    { cty: 'json' },
    { jwk: KEY.jwk },
  ]) {
    await assertAccepted(tokenWith({}, { header }))
  }
})

test('A-13 A-14 refuses crit and b64 in every form', async () => {
  await assertAccepted(tokenWith({}, { header: { exp: 1, x: 1 } }))
  for (const crit of [['x'], [], 'x', null, ['exp'], ['alg'], ['b64'], { x: 1 }]) {
    await assertRefused(tokenWith({}, { header: { crit, x: 1 } }), 'header-not-understood')
  }
  for (const b64 of [false, true, null, 'false'])
    await assertRefused(tokenWith({}, { header: { b64 } }), 'header-not-understood')
  await assertRefused(tokenWith({}, { header: { b64: false, crit: ['b64'] } }), 'header-not-understood')
})

test('A-15 refuses types of tokens that are never for logging in', async () => {
  for (const typ of ['JWT', 'jwt', 'at+jwt', 'application/at+jwt', 'id_token', undefined])
    await assertAccepted(tokenWith({}, { header: { typ } }))
  for (const typ of [
    'logout+jwt',
    'LOGOUT+JWT',
    'application/logout+jwt',
    'JOSE',
    'JOSE+JSON',
    'dpop+jwt',
    'secevent+jwt',
    7,
    null,
  ]) {
    await assertRefused(tokenWith({}, { header: { typ } }), 'type-not-accepted')
  }
})

test('A-16 refuses encrypted and nested tokens', async () => {
  await assertAccepted(tokenWith())
  const part = Buffer.from('{}').toString('base64url')
  const jweHeader = Buffer.from('{"alg":"PBES2-HS256+A128KW","enc":"A128GCM","p2c":2147483647,"zip":"DEF"}').toString(
    'base64url',
  )
  await assertRefused(`${jweHeader}.${part}.${part}.${part}.${part}`, 'token-encrypted')
  await assertRefused(`${jweHeader}..${part}.${part}.${part}`, 'token-encrypted')
  await assertRefused(tokenWith({}, { header: { enc: 'A128GCM' } }), 'token-encrypted')
  for (const cty of ['JWT', 'jwt', 'application/jwt'])
    await assertRefused(tokenWith({}, { header: { cty } }), 'token-nested')
  await assertRefused(mintToken({ key: KEY, rawClaims: tokenWith() }), 'token-malformed')
})

test('A-17 refuses the JSON forms of a JWS', async () => {
  const [header, payload, signature] = tokenWith().split('.')
  const flattened = JSON.stringify({ protected: header, payload, signature })
  const general = JSON.stringify({
    payload,
    signatures: [
      { protected: header, signature },
      { protected: header, signature },
    ],
  })
  await assertAccepted(`${header}.${payload}.${signature}`)
  for (const token of [
    flattened,
    general,
    encodeURIComponent(flattened),
    `${header}.${payload}.${signature}.${signature}`,
  ]) {
    await assertRefused(token, 'token-malformed')
  }
})

test('A-18 refuses any other number of parts', async () => {
  const [header, payload, signature] = tokenWith().split('.')
  await assertAccepted([header, payload, signature].join('.'))
  const tokens = [
    '',
    '.',
    '..',
    '...',
    `${header}`,
    `${header}.${payload}`,
    `${header}.${payload}.${signature}.`,
    `.${header}.${payload}.${signature}`,
    '......',
    '.'.repeat(12_288),
  ]
  for (const token of tokens) await assertRefused(token, 'token-malformed')
  await assertRefused('.'.repeat(64 * 1024), 'token-too-large')
})

test('A-19 refuses a header name that appears twice', async () => {
  const sign = (input: Buffer): Buffer => signBytes('ES256', KEY.privateKey, input)
  await assertAccepted(assembleToken(headerText('"alg":"ES256"'), CLAIMS, sign))
  for (const members of [
    '"alg":"none","alg":"ES256"',
    '"alg":"ES256","alg":"none"',
    `"alg":"ES256","kid":"${KEY.kid}"`,
    `"alg":"ES256","k\\u0069d":"x"`,
  ]) {
    await assertRefused(assembleToken(headerText(members), CLAIMS, sign), 'token-malformed')
  }
})

test('A-20 A-21 refuses a header that is not an object, too large, too deep, or names a prototype', async () => {
  await assertAccepted(tokenWith({}, { header: { a: { b: { c: 1 } }, filler: 'x'.repeat(2000) } }))
  for (const rawHeader of ['[]', '"ES256"', 'null', '1', '', '{', '{}'])
    await assertRefused(tokenWith({}, { rawHeader }), 'token-malformed')
  const many = Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`m${index}`, 1]))
  await assertRefused(tokenWith({}, { header: many }), 'token-malformed')
  await assertRefused(tokenWith({}, { header: { filler: 'x'.repeat(7000) } }), 'token-malformed')
  await assertRefused(
    tokenWith({}, { rawHeader: headerText(`"alg":"ES256","x":${'['.repeat(100)}${']'.repeat(100)}`) }),
    'token-malformed',
  )
  for (const name of ['__proto__', 'constructor']) {
    await assertRefused(
      tokenWith({}, { rawHeader: headerText(`"alg":"ES256","${name}":{"alg":"none"}`) }),
      'header-not-understood',
    )
  }
})

test('F-12 compares a kid exactly, and uses it only for that', async () => {
  const kids = [
    "'; drop table keys; --",
    '../../etc/passwd',
    'a"b\\c',
    'k'.repeat(2048),
    '🔑',
    '__proto__',
    'constructor',
    'line\nbreak',
    ' ',
    'kid ',
    'KID',
    'kid',
  ]
  for (const kid of kids) {
    const keys = keysOf({ ...KEY.jwk, kid })
    await assertAccepted(tokenWith({}, { header: { kid } }), { keys })
    await assertRefused(tokenWith({}, { header: { kid: `${kid}x` } }), 'kid-unknown', { keys })
    if (kid !== 'kid') await assertRefused(tokenWith({}, { header: { kid: 'kid' } }), 'kid-unknown', { keys })
  }
  for (const kid of ['__proto__', 'toString', 'hasOwnProperty'])
    await assertRefused(tokenWith({}, { header: { kid } }), 'kid-unknown')
})

test('H-06 refuses a token without kid, even when the signer has only one key', async () => {
  await assertAccepted(tokenWith())
  for (const kid of [undefined, null, '', 1, [KEY.kid], { kid: KEY.kid }, true])
    await assertRefused(tokenWith({}, { header: { kid } }), 'kid-missing')
  await assertRefused(tokenWith({}, { header: { kid: 'other' } }), 'kid-unknown')
  await assertRefused(tokenWith(), 'kid-unknown', { keys: new Map() })
})

test('a token signed by another key of the same kind is refused', async () => {
  const otherKey = mintKeyFrom(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey, 'P-256', KEY.kid)
  await assertAccepted(tokenWith(), { keys: KEYS })
  await assertRefused(tokenWith({}, { key: otherKey }), 'signature-invalid')
  await assertAccepted(tokenWith({}, { key: otherKey }), {
    keys: keysOf({ ...createPublicKey(otherKey.privateKey).export({ format: 'jwk' }), kid: KEY.kid }),
  })
})
