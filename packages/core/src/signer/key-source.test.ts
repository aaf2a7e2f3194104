import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mintKey } from '@countersign/testkit'
import { checkHeaderValue, checkKeySource, KEY_SOURCES, keySourceOf } from './key-source.ts'
import { signerFromBody } from './signer-settings.ts'

test('D62 the source of a signer is the member that is set', () => {
  for (const source of KEY_SOURCES) assert.equal(keySourceOf({ [source]: 'x' as never }), source)
  assert.equal(keySourceOf({ jwks: null }), undefined)
})

test('G-33 a credential is a header value', () => {
  for (const value of ['Bearer a.b-c', 'x', 'Basic dXNlcjpwYXNz', 'a "quoted" b']) checkHeaderValue('f', value)
  for (const value of ['', ' a', 'a ', 'a\r\nHost: b', 'a\tb', 'ä', 'a\u0000']) {
    assert.throws(() => checkHeaderValue('f', value), { code: 'COULD_NOT_VALIDATE' }, JSON.stringify(value))
  }
})

const { jwk } = mintKey('P-256')
const SIGNER = signerFromBody({ name: 'n', enabled: true, issuer: 'i', audience: 'a' })
const SOURCES: Readonly<Record<(typeof KEY_SOURCES)[number], unknown>> = {
  jwksEndpoint: 'https://idp.example/keys',
  certPem: 'pem',
  jwks: { keys: [jwk] },
  certPems: ['pem'],
  pushedKeys: { maxAgeSeconds: 300 },
}

test('D62 a signer has exactly one source of keys', () => {
  const check = (members: object) => checkKeySource({ ...SIGNER, ...members })
  assert.throws(() => check({}), { code: 'INVALID_FIELD' })
  for (const [first, value] of Object.entries(SOURCES)) {
    check({ [first]: value })
    for (const [second, other] of Object.entries(SOURCES).filter(([name]) => name !== first)) {
      assert.throws(() => check({ [first]: value, [second]: other }), { code: 'INVALID_FIELD' }, `${first} ${second}`)
    }
  }
  assert.throws(() => check({ ...SOURCES }), { code: 'INVALID_FIELD' })
})

test('F-16 F-17 continuity is for fetched keys, and pins are thumbprints', () => {
  const check = (members: object) => checkKeySource({ ...SIGNER, ...members })
  const { jwksEndpoint, pushedKeys } = SOURCES
  check({ jwksEndpoint, requireKeyContinuity: true, pinnedKeyThumbprints: [Buffer.alloc(32).toString('base64url')] })
  assert.throws(() => check({ pushedKeys, requireKeyContinuity: true }), { code: 'COULD_NOT_VALIDATE' })
  for (const pin of ['', 'x', Buffer.alloc(31).toString('base64url'), Buffer.alloc(32).toString('base64')]) {
    assert.throws(() => check({ jwksEndpoint, pinnedKeyThumbprints: [pin] }), { code: 'COULD_NOT_VALIDATE' }, pin)
  }
})
