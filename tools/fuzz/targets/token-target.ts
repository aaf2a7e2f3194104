import assert from 'node:assert/strict'
import { readJws, untrustedIssuerAndAudience } from '@countersign/core'
import type { FuzzTarget } from '../fuzz-target.ts'
import { createMutator } from '../mutate.ts'
import { JSON_WORDS } from './json-target.ts'

const MAX_LENGTH = 12 * 1024

const HEADERS = [
  '{"alg":"RS256","kid":"key-1","typ":"JWT"}',
  '{"typ":"at+jwt","alg":"ES256","kid":"2026-01","x5t":"abc","jku":"https://a.example"}',
  '{"alg":"EdDSA","kid":"k"}',
].map((text) => Buffer.from(text))
const CLAIMS = [
  '{"iss":"https://idp.example/a","aud":"api://countersign","sub":"alice","iat":1790000000,"exp":1790000600}',
  '{"iss":"a","aud":["b","c"],"sub":"d","nbf":1,"realm_access":{"roles":["x"]},"exp":2}',
].map((text) => Buffer.from(text))
const HEADER_WORDS = [
  '"crit":["exp"],',
  '"b64":false,',
  '"enc":"A256GCM",',
  '"cty":"JWT",',
  '"alg":"none",',
  '"typ":"dpop+jwt",',
  '"zip":"DEF",',
  '"alg":1,',
  '"kid":null,',
  ...JSON_WORDS,
]
const TOKEN_WORDS = [
  '.',
  '..',
  '=',
  '==',
  '+',
  '/',
  '-',
  '_',
  'eyJ',
  'eyJhbGciOiJub25lIn0',
  'e30',
  'e30.',
  ' ',
  '\n',
  'A',
]

const encode = (bytes: Buffer): string => bytes.toString('base64url')
const SIGNATURE = encode(Buffer.alloc(64, 7))
const TOKENS = HEADERS.flatMap((header) =>
  CLAIMS.map((claims) => Buffer.from(`${encode(header)}.${encode(claims)}.${SIGNATURE}`)),
)

const INHERITED = Object.getOwnPropertyNames(Object.prototype)

/** The token parser. An accepted token must be parsed completely. Mutates the token, the header and the claims equally often. */
export const tokenTarget: FuzzTarget = {
  name: 'token',
  createInputs: (random) => {
    const nextToken = createMutator(random, { corpus: TOKENS, dictionary: TOKEN_WORDS, maxLength: MAX_LENGTH + 64 })
    const nextHeader = createMutator(random, { corpus: HEADERS, dictionary: HEADER_WORDS, maxLength: 5000 })
    const nextClaims = createMutator(random, { corpus: CLAIMS, dictionary: JSON_WORDS, maxLength: 9000 })
    const generators = [
      () => nextToken().toString('latin1'),
      () => `${encode(nextHeader())}.${encode(random.pick(CLAIMS))}.${SIGNATURE}`,
      () => `${encode(random.pick(HEADERS))}.${encode(nextClaims())}.${SIGNATURE}`,
    ]
    return () => random.pick(generators)()
  },
  accepts: (input) => {
    const reading = readJws(input.toString())
    if (!reading.ok) {
      assert.ok(reading.reason.length > 0 && reading.detail.length < 300)
      return false
    }
    const { signingInput, signature, untrustedHeader, untrustedClaims } = reading.jws
    assert.equal(`${signingInput}.${encode(signature)}`, input)
    assert.equal(typeof untrustedHeader.alg, 'string')
    for (const name of INHERITED) assert.equal(name in untrustedClaims, Object.hasOwn(untrustedClaims, name))
    const { untrustedAudiences } = untrustedIssuerAndAudience(reading.jws)
    assert.ok(untrustedAudiences.every((audience) => typeof audience === 'string'))
    return true
  },
}
