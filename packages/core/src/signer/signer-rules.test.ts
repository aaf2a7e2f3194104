import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeTestCertificate } from '@countersign/testkit'
import { AppError } from '../app-error.ts'
import { checkEnrollRules, findEnrollPolicyError } from './enroll-rules.ts'
import { type SignerSettings, signerFromBody } from './signer-settings.ts'
import { signerWarnings } from './signer-warnings.ts'
import { validateSigner } from './validate-signer.ts'

const SIGNER = signerFromBody({
  name: 'n',
  enabled: true,
  issuer: 'i',
  audience: 'a',
  jwksEndpoint: 'https://x.example/',
})
const withMembers = (members: Partial<SignerSettings>): SignerSettings => ({ ...SIGNER, ...members })

function codeOf(run: () => void): string {
  try {
    run()
  } catch (error) {
    assert.ok(error instanceof AppError)
    const cause = error.publicCause
    return cause && 'field' in cause ? `${error.code} ${cause.field}` : error.code
  }
  return 'ok'
}

test('H-07 S1-1.4 a signer has exactly one key source', () => {
  assert.equal(
    codeOf(() => validateSigner(SIGNER)),
    'ok',
  )
  assert.equal(
    codeOf(() => validateSigner(withMembers({ jwksEndpoint: null, certPem: 'x' }))),
    'ok',
  )
  assert.equal(
    codeOf(() => validateSigner(withMembers({ certPem: 'x' }))),
    'INVALID_FIELD',
  )
  assert.equal(
    codeOf(() => validateSigner(withMembers({ jwksEndpoint: null }))),
    'INVALID_FIELD',
  )
})

test('a login creates identities only where enrollment to token use is on', () => {
  const validate = (enrollToTokenEnabled: boolean) =>
    codeOf(() => validateSigner(withMembers({ provisionOnLogin: true, enrollToTokenEnabled })))
  assert.match(validate(false), / provisionOnLogin$/)
  assert.equal(validate(true), 'ok')
})

test('W-26 L-04 each field is validated', () => {
  for (const [members, field] of [
    [{ name: '' }, 'name'],
    [{ issuer: '' }, 'issuer'],
    [{ audience: '' }, 'audience'],
    [{ issuer: 'a"b' }, 'issuer'],
    [{ kid: 'a\u200b' }, 'kid'],
    [{ clientId: '\u202e' }, 'clientId'],
    [{ scopes: ['\u0000'] }, 'scopes'],
    [{ scopes: Array(101).fill('s') }, 'scopes'],
    [{ claimsProperty: '/~' }, 'claimsProperty'],
    [{ externalAuthUrl: 'http://x.example' }, 'externalAuthUrl'],
    [{ requiredClaims: { a: [] } }, 'requiredClaims'],
    [{ requiredClaims: { a: 'x\u200b' } }, 'requiredClaims'],
    [{ additionalAudiences: ['b', ' '] }, 'additionalAudiences'],
    [{ additionalAudiences: ['b\u0000'] }, 'additionalAudiences'],
    [{ additionalAudiences: ['b', 'b'] }, 'additionalAudiences'],
    [{ additionalAudiences: [SIGNER.audience] }, 'additionalAudiences'],
    [{ jwksCaPem: 'junk' }, 'jwksCaPem'],
  ] as const) {
    assert.equal(
      codeOf(() => validateSigner(withMembers(members as Partial<SignerSettings>))),
      `COULD_NOT_VALIDATE ${field}`,
    )
  }
  const fine = { kid: 'k', clientId: 'c', scopes: Array(100).fill('s'), requiredClaims: { '/a/b': ['x', 'y'] } }
  const { pem: jwksCaPem } = makeTestCertificate({ kind: 'ec256' })
  assert.equal(
    codeOf(() =>
      validateSigner(
        withMembers({ ...fine, additionalAudiences: ['b', 'c'], jwksCaPem, externalAuthUrl: 'https://x.example' }),
      ),
    ),
    'ok',
  )
})

test('an enroll flag needs a policy that allows the resulting logins', () => {
  const all = { certAllowed: true, extJwtAllowed: true }
  const toCert = withMembers({ enrollToCertEnabled: true, enrollAuthPolicyId: 'p' })
  const toToken = withMembers({ enrollToTokenEnabled: true, enrollAuthPolicyId: 'p' })
  for (const signer of [toCert, toToken, SIGNER])
    assert.equal(
      codeOf(() => checkEnrollRules(signer, all)),
      'ok',
    )
  const refused = 'COULD_NOT_VALIDATE enrollAuthPolicyId'
  assert.equal(
    codeOf(() => checkEnrollRules(toCert, { ...all, certAllowed: false })),
    refused,
  )
  assert.equal(
    codeOf(() => checkEnrollRules(toToken, { ...all, extJwtAllowed: false })),
    refused,
  )
  assert.equal(
    codeOf(() => checkEnrollRules(toCert, { ...all, extJwtAllowed: false })),
    'ok',
  )
  assert.equal(
    codeOf(() => checkEnrollRules(toToken, { ...all, certAllowed: false })),
    'ok',
  )
  assert.equal(
    codeOf(() => checkEnrollRules(toCert, undefined)),
    refused,
  )
  assert.equal(
    codeOf(() => checkEnrollRules(toToken, undefined)),
    refused,
  )
  assert.equal(
    codeOf(() => checkEnrollRules(SIGNER, undefined)),
    'NOT_FOUND',
  )
  assert.equal(findEnrollPolicyError(SIGNER, undefined), undefined)
})

const DAY = 86_400_000
const NOW = Date.parse('2030-06-15T12:00:00Z')
const within = (from: number, to: number) => ({ notBefore: NOW + from, notAfter: NOW + to })

test('H-01 D11 warns about a certificate from 30 days before its expiry, and outside its dates, both inclusive', () => {
  const warning = (validity: { notBefore: number; notAfter: number }) => signerWarnings(SIGNER, validity, NOW)[0]
  assert.equal(warning(within(-DAY, 30 * DAY + 1)), undefined)
  assert.match(warning(within(-DAY, 30 * DAY)) ?? '', /expires on 2030-07-15, in 30 days/)
  assert.match(warning(within(-DAY, 7 * DAY)) ?? '', /in 7 days/)
  assert.match(warning(within(-DAY, DAY)) ?? '', /in 1 day:/)
  assert.match(warning(within(-DAY, DAY - 1)) ?? '', /in less than a day/)
  assert.match(warning(within(-DAY, 0)) ?? '', /in less than a day/)
  assert.match(warning(within(-DAY, -1)) ?? '', /expired on 2030-06-15/)
  assert.match(warning(within(1, 90 * DAY)) ?? '', /not valid before 2030-06-15/)
  assert.equal(warning(within(0, 90 * DAY)), undefined)
})

test('D11 D62 each of several certificates is warned about by its fingerprint', () => {
  const day = 86_400_000
  const one = (fingerprint: string, from: number, to: number) => ({
    fingerprint,
    notBefore: NOW + from,
    notAfter: NOW + to,
  })
  const certificates = [
    one('a', -day, 90 * day),
    one('b', -2 * day, -day),
    one('c', day, 90 * day),
    one('d', -day, day),
  ]
  const warnings = signerWarnings(withMembers({ kid: 'k' }), null, NOW, certificates)
  assert.deepEqual(
    [/b expired/, /c is not valid before/, /d expires.*PATCH certPems/, /^kid:/m].map((text) =>
      text.test(warnings.join('\n')),
    ),
    [true, true, true, true],
  )
  assert.equal(warnings.length, 4)
  assert.deepEqual(signerWarnings(withMembers({}), null, NOW, certificates.slice(0, 1)), [])
})

test('D14 distinguishes an issuer that serves everyone from one with a similar name', () => {
  const isWarned = (issuer: string, members: Partial<SignerSettings> = {}) =>
    signerWarnings(withMembers({ issuer, enrollToCertEnabled: true, ...members }), null, NOW).length === 1
  for (const issuer of [
    'https://token.actions.githubusercontent.com',
    'https://gitlab.com',
    'https://gitlab.com/',
    'https://accounts.google.com',
    'https://login.microsoftonline.com/common/v2.0',
    'https://login.microsoftonline.com/organizations/v2.0',
  ]) {
    assert.ok(isWarned(issuer), issuer)
    assert.ok(!isWarned(issuer, { enrollToCertEnabled: false }), issuer)
    assert.ok(!isWarned(issuer, { requiredClaims: { hd: 'x' } }), issuer)
  }
  for (const issuer of [
    'https://gitlab.company.example',
    'https://gitlab.com.example',
    'https://login.microsoftonline.com/9f-tenant/v2.0',
  ]) {
    assert.ok(!isWarned(issuer), issuer)
  }
})

test('D14 only a check of a claim that says whose token it is restricts an issuer that serves everyone', () => {
  const isWarned = (members: Partial<SignerSettings>) =>
    signerWarnings(
      withMembers({ issuer: 'https://token.actions.githubusercontent.com', enrollToTokenEnabled: true, ...members }),
      null,
      NOW,
    ).length === 1
  for (const [open, restricted] of [
    [
      '!(claims.event_name in ["pull_request"])',
      '!(claims.event_name in ["pull_request"]) && claims.repository == "acme/app"',
    ],
    ['claims.ref == "refs/heads/main"', 'claims.ref == "refs/heads/main" && claims.repository_owner == "acme"'],
    ['claims.email_verified == true', 'claims.email_verified == true && claims.hd == "acme.example"'],
    ['request.method == "POST"', 'claims.sub.startsWith("repo:acme/")'],
    ['true', 'claims.exists(name, name == "x")'],
  ] as const) {
    assert.ok(isWarned({ acceptRule: open }), open)
    assert.ok(!isWarned({ acceptRule: restricted }), restricted)
  }
  assert.ok(isWarned({ requiredClaims: {} }))
  assert.ok(isWarned({ requiredClaims: { ref: 'refs/heads/main' } }))
  assert.ok(!isWarned({ requiredClaims: { '/repository_owner': 'acme' } }))
})

test('warns about an identity claim that is not of one user', () => {
  const warningsOf = (claimsProperty: string) => signerWarnings(withMembers({ claimsProperty }), null, NOW)
  for (const claim of ['iss', '/aud', 'exp', 'nbf', '/iat']) {
    const [warning, ...more] = warningsOf(claim)
    assert.match(warning ?? '', /^claimsProperty: .*does not identify one$/, claim)
    assert.deepEqual(more, [])
  }
  for (const claim of ['sub', '/sub', '/a/iss']) assert.deepEqual(warningsOf(claim), [], claim)
})

test('warns about a selector that looks like a path, but selects a root claim', () => {
  const warningsOf = (enrollNameClaimsSelector: string) =>
    signerWarnings(withMembers({ enrollNameClaimsSelector }), null, NOW)
  assert.match(warningsOf('profile/name').join(), /^enrollNameClaimsSelector: .* write "\/profile\/name"$/)
  assert.deepEqual(warningsOf('/profile/name'), [])
})
