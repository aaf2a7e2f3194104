import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeTestCertificate } from '@countersign/testkit'
import { buildExtension } from '../certificate/build-extensions.ts'
import { DerError } from '../certificate/der-reader.ts'
import * as der from '../certificate/der-writer.ts'
import { readLeafCertificate } from '../certificate/leaf-certificate.ts'
import { OID } from '../certificate/object-identifiers.ts'
import { parseCertificate } from '../certificate/parse-certificate.ts'
import { type ExternalIdClaim, findExternalId, mergedClaim, validateClaim } from './external-id-claim.ts'

const CLAIM: ExternalIdClaim = {
  location: 'COMMON_NAME',
  matcher: 'ALL',
  matcherCriteria: '',
  parser: 'NONE',
  parserCriteria: '',
  index: 0,
}

const EMAIL_TAG = 1
const URI_TAG = 6

interface Names {
  readonly commonName?: string
  readonly emails?: readonly string[]
  readonly uris?: readonly string[]
}

function certificateWith({ commonName = 'x', emails = [], uris = [] }: Names) {
  const names = [
    ...emails.map((email) => der.implicitTag(EMAIL_TAG, Buffer.from(email))),
    ...uris.map((uri) => der.implicitTag(URI_TAG, Buffer.from(uri))),
  ]
  const extensions = [buildExtension(OID.subjectAltName, der.sequence(...names))]
  return parseCertificate(makeTestCertificate({ commonName, ...(names.length > 0 && { extensions }) }).der)
}

const SPLIT = (parserCriteria: string) => ({ parser: 'SPLIT', parserCriteria }) as const
const PREFIX = (matcherCriteria: string) => ({ matcher: 'PREFIX', matcherCriteria }) as const
const SUFFIX = (matcherCriteria: string) => ({ matcher: 'SUFFIX', matcherCriteria }) as const
const EMAIL = { location: 'SAN_EMAIL' } as const
const SPIFFE = { location: 'SAN_URI', matcher: 'SCHEME', matcherCriteria: 'spiffe' } as const
const URIS = { uris: ['https://a/x', 'spiffe://td/id/y'] }

test('W-88 the examples of existing controllers select the same text', () => {
  const examples: readonly (readonly [claim: Partial<ExternalIdClaim>, names: Names, found: string | undefined])[] = [
    [{}, { commonName: 'alice' }, 'alice'],
    [PREFIX('dev-'), { commonName: 'dev-alice' }, 'alice'],
    [PREFIX('dev-'), { commonName: 'prod-alice' }, undefined],
    [PREFIX('dev-'), { commonName: 'dev-' }, undefined],
    [SUFFIX('.local'), { commonName: 'pc7.local' }, 'pc7'],
    [{ ...SPLIT('.'), index: 1 }, { commonName: 'a.b.c' }, 'b'],
    [{ ...SPLIT('.'), index: 3 }, { commonName: 'a.b.c' }, undefined],
    [{ ...PREFIX('id:'), ...SPLIT(';'), index: 1 }, { commonName: 'id:g;alice' }, 'alice'],
    [EMAIL, { emails: ['a@e.test', 'b@e.test'] }, 'a@e.test'],
    [{ ...EMAIL, index: 1 }, { emails: ['a@e.test', 'b@e.test'] }, 'b@e.test'],
    [{ ...EMAIL, ...SUFFIX('@e.test') }, { emails: ['z@o.test', 'bob@e.test'] }, 'bob'],
    [{ ...EMAIL, ...SPLIT('@'), index: 2 }, { emails: ['p@a', 'q@b'] }, 'q'],
    [SPIFFE, URIS, 'spiffe://td/id/y'],
    [{ ...SPIFFE, ...SPLIT('/'), index: 4 }, URIS, 'y'],
    [SPIFFE, { uris: ['SPIFFE://td/Id'] }, 'spiffe://td/Id'],
    [SPIFFE, { uris: ['spiffex://td/Id'] }, undefined],
    [EMAIL, {}, undefined],
    [{}, { commonName: 'a'.repeat(512) }, 'a'.repeat(512)],
    [{}, { commonName: 'a'.repeat(513) }, undefined],
    [{}, { commonName: 'a\u0000b' }, undefined],
    [{}, { commonName: 'a\u202eb' }, undefined],
  ]
  for (const [claim, names, found] of examples) {
    assert.equal(findExternalId(certificateWith(names), { ...CLAIM, ...claim }), found, JSON.stringify([claim, names]))
  }
})

test('W-88 an alternative name that is not ASCII makes the certificate malformed', () => {
  const claim = { ...CLAIM, location: 'SAN_EMAIL' } as const
  assert.equal(findExternalId(certificateWith({ emails: ['e@test'], uris: ['x:é'] }), claim), 'e@test')
  assert.throws(() => findExternalId(certificateWith({ emails: ['é@test'] }), claim), DerError)
  assert.ok(readLeafCertificate(certificateWith({ uris: ['x:e'] }).der))
  assert.equal(readLeafCertificate(certificateWith({ uris: ['x:é'] }).der), undefined)
})

test('W-88 a claim that can select nothing is refused', () => {
  for (const good of [PREFIX('a'), SUFFIX('a'), SPIFFE, SPLIT('x'), { ...EMAIL, ...PREFIX('a') }]) {
    validateClaim({ ...CLAIM, ...good })
  }
  const schemeOfName = { matcher: 'SCHEME', matcherCriteria: 'a' } as const
  const prefixOfUri = { location: 'SAN_URI', ...PREFIX('a') } as const
  for (const bad of [
    PREFIX(''),
    SUFFIX(''),
    { ...SPIFFE, matcherCriteria: '' },
    SPLIT(''),
    schemeOfName,
    prefixOfUri,
  ]) {
    assert.throws(() => validateClaim({ ...CLAIM, ...bad }), { code: 'INVALID_FIELD' }, JSON.stringify(bad))
  }
  assert.throws(
    () => validateClaim({ ...CLAIM, index: -1 }),
    (error: { publicCause?: { field?: string } }) => {
      return error.publicCause?.field === 'externalIdClaim.index'
    },
  )
})

test('W-88 a PATCH changes the named members of a claim, and completes a new one', () => {
  assert.deepEqual(mergedClaim(CLAIM, SPLIT('.')), { ...CLAIM, ...SPLIT('.') })
  assert.deepEqual(mergedClaim(CLAIM, {}), CLAIM)
  assert.equal(mergedClaim(null, {}), null)
  const { location, matcher, parser } = CLAIM
  assert.deepEqual(mergedClaim(null, { location, matcher, parser }), CLAIM)
  assert.throws(() => mergedClaim(null, { location, matcher }), { code: 'COULD_NOT_VALIDATE' })
})
