import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ERRORS, type ErrorCode, wireNameOf } from './error-codes.ts'
import { errorWords, failureLines } from './error-words.ts'

const words = (reason: string, others: object = {}) => errorWords({ code: 'COULD_NOT_VALIDATE', reason, ...others })

test('duplicates name what they have in common, and the entity that has it where it is known', () => {
  const duplicate = (store: string) => `duplicate value 'https://login.example' in unique index on ${store} store`
  const cases: readonly [string, object, string][] = [
    [
      duplicate('externalJwtSigners'),
      { field: 'issuer', conflictsWith: 'Contoso' },
      'Another signer, “Contoso”, already has this issuer and audience',
    ],
    [duplicate('externalJwtSigners'), { field: 'issuer' }, 'Another signer already has this issuer and audience'],
    [
      duplicate('externalJwtSigners'),
      { field: 'kid', conflictsWith: 'A' },
      'Another signer, “A”, already has this key id',
    ],
    [duplicate('identities'), { field: 'name' }, 'Another identity already has this name'],
    [duplicate('identities'), { field: 'externalId' }, 'Another identity already has this external id'],
    [duplicate('authenticators'), { field: 'updbUsername' }, 'Another identity already has this user name'],
    [
      duplicate('identities'),
      { field: 'externalId', conflictsWith: 'alice' },
      'Another identity, “alice”, already has this external id',
    ],
    [duplicate('identities'), { field: 'name', conflictsWith: 'alice' }, 'Another identity already has this name'],
    [
      'the key of the certificate is in use by another authenticator',
      { field: 'certPem', conflictsWith: 'alice' },
      'Another identity, “alice”, already has this key of the certificate',
    ],
    [duplicate('cas'), { field: 'name' }, 'Another CA already has this name'],
    ['name must be unique', { field: 'name' }, 'This name is already taken'],
    ['name must be unique in its network group, ignoring letter case', { field: 'name' }, 'This name is already taken'],
    [
      'certificate already used as CA 1a2b',
      { field: 'certPem', conflictsWith: 'mine' },
      'Another CA, “mine”, already has this certificate',
    ],
    ['certificate already used as CA', { field: 'certPem' }, 'Another CA already has this certificate'],
  ]
  for (const [reason, facts, expected] of cases) assert.equal(words(reason, facts), expected)
})

test('rules about values are said without the words of programs', () => {
  const cases: readonly [string, string][] = [
    ['name in body is required', 'This is required'],
    ['name is required', 'This is required'],
    ['audience may not be blank', 'This may not be empty'],
    ['password in body should be at least 5 chars long', 'At least 5 characters'],
    ['name should be at most 256 chars long', 'At most 256 characters'],
    ['type in body should be one of [User Device]', 'One of User, Device'],
    ['scopes in body should have at most 16 items', 'At most 16 entries'],
    ['jwksEndpoint in body must be of type uri: "x"', 'Enter an absolute URL, such as https://login.example'],
    ['expiresAt in body must be of type date-time', 'Enter a date and a time'],
    ['clockSkewSeconds in body should be greater than or equal to 0', 'At least 0'],
    ['clockSkewSeconds in body should be less than or equal to 600', 'At most 600'],
    [
      "the value '<nil>' for 'certPem' is invalid: jwksEndpoint or certPem is required",
      'The signer has no keys: give jwksEndpoint, jwks, certPem, certPems or pushedKeys',
    ],
    ["the value '<nil>' is odd", 'The value is not valid'],
    ['externalJwtSigner with id x not found', 'This signer does not exist. It may have been deleted.'],
    ['authDecision with id x not found', 'There is no refusal with this request id. Refusals are kept for 24 hours.'],
    [
      'no administrator would remain: repeat the request with confirmLockOut=true',
      'After this change no administrator could log in.',
    ],
    ['not found', 'It does not exist. It may have been deleted.'],
    ['entity type authPolicies referenced by identities: [a b]', 'Identities use it. Give them another one first.'],
    ['entity type authPolicies referenced by things: [a b]', 'It is still in use.'],
    ['invalid current password', 'The current password is wrong'],
    ['password must have a digit', 'password must have a digit'],
  ]
  for (const [reason, expected] of cases) assert.equal(words(reason), expected)
})

test('no code is shown in words of programs', () => {
  for (const code of Object.keys(ERRORS) as ErrorCode[]) {
    const shown = errorWords({ code: wireNameOf(code), reason: ERRORS[code].message })
    assert.doesNotMatch(
      shown,
      /see cause|HTTP verb|<nil>|\bentity\b|unique index|\bstore\b|csr\b|unhandled|query supplied|Content-Type/i,
      code,
    )
    assert.match(shown, /^[A-Z]/, code)
  }
})

test('a failed test case is a line with what it expects and what the signer says', () => {
  const failures = [
    {
      name: 'a fork',
      expected: { outcome: 'refused', check: 'requiredClaims' },
      received: { outcome: 'accepted', externalId: 'mallory', attributes: [] },
    },
    {
      name: 'main',
      expected: { outcome: 'accepted' },
      received: { outcome: 'refused', check: 'acceptRule', reason: 'rule-refused', text: 'claims.ref is "dev"' },
    },
  ]
  assert.deepEqual(failureLines({ message: '2 of 2 test cases failed', failures }), [
    '“a fork”: expected refused by requiredClaims, received accepted as "mallory" with attributes []',
    '“main”: expected accepted, received refused by acceptRule (claims.ref is "dev")',
  ])
  for (const other of [undefined, {}, { failures: 'none' }]) assert.deepEqual(failureLines(other), [])
})
