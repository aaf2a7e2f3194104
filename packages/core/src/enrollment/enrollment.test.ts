import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { AppError } from '../app-error.ts'
import { validateIdentity } from '../identity/identity-settings.ts'
import type { JsonObject, JsonValue } from '../json/json-value.ts'
import { buildEnrollingIdentity, type EnrollingIdentity } from './enrolling-identity.ts'
import type { EnrollingSigner } from './enrollment-claims.ts'

const SIGNER: EnrollingSigner = {
  useExternalId: true,
  enrollNameClaimsSelector: '/sub',
  enrollAttributeClaimsSelector: null,
  enrollAuthPolicyId: null,
}

/** Builds and validates the identity, as an enrollment does. */
function enroll(
  claims: JsonObject,
  signer: Partial<EnrollingSigner> = {},
  identityClaim = 'alice',
  ruleAttributes: readonly string[] = [],
): EnrollingIdentity {
  const built = buildEnrollingIdentity(
    { ...SIGNER, ...signer },
    {
      identityClaim,
      claims: { sub: 'alice', ...claims },
      ruleAttributes,
    },
  )
  validateIdentity(built.settings)
  return built
}

/** The code of the refusal and the field it names. */
function refusalOf(run: () => unknown): string {
  try {
    run()
  } catch (error) {
    assert.ok(error instanceof AppError, String(error))
    const cause = error.publicCause
    return cause && 'field' in cause ? `${error.code} ${cause.field}` : error.code
  }
  return 'accepted'
}

const withGroups = (groups: JsonValue): readonly string[] =>
  enroll({ groups }, { enrollAttributeClaimsSelector: '/groups' }).settings.attributes
const groupsRefusal = (groups: JsonValue): string => refusalOf(() => withGroups(groups))
const nameRefusal = (claims: JsonObject): string =>
  refusalOf(() => enroll(claims, { enrollNameClaimsSelector: '/name' }))

test('D6 with the default selectors the subject is the name, the policy is the default one, and nothing else is set', () => {
  const { key, settings } = enroll({ groups: ['sales'], name: 'Alice', isAdmin: true, permissions: ['identity'] })
  assert.deepEqual(key, { useExternalId: true, externalId: 'alice' })
  const { name, externalId, authPolicyId, attributes, isAdmin, permissions } = settings
  assert.deepEqual(
    { name, externalId, authPolicyId, attributes, isAdmin, permissions },
    { name: 'alice', externalId: 'alice', authPolicyId: 'default', attributes: [], isAdmin: false, permissions: [] },
  )
})

test('S1-5.3.3 the selectors set name, attributes and policy', () => {
  const { settings } = enroll(
    { profile: { name: 'Alice' }, 'https://acme.example/groups': ['b', 'a'] },
    {
      enrollNameClaimsSelector: '/profile/name',
      enrollAttributeClaimsSelector: 'https://acme.example/groups',
      enrollAuthPolicyId: 'staff',
    },
  )
  assert.equal(settings.name, 'Alice')
  assert.deepEqual(settings.attributes, ['a', 'b'])
  assert.equal(settings.authPolicyId, 'staff')
})

describe('the attributes', () => {
  test('K-08 W-45 W-67 are empty when the selector is unset, or the claim is absent, null or empty', () => {
    assert.deepEqual(enroll({ groups: ['sales'] }).settings.attributes, [])
    assert.deepEqual(enroll({}, { enrollAttributeClaimsSelector: '/groups' }).settings.attributes, [])
    assert.deepEqual(enroll({ a: 'text' }, { enrollAttributeClaimsSelector: '/a/b/0' }).settings.attributes, [])
    for (const nothing of [null, '', [], ['', '']]) assert.deepEqual(withGroups(nothing), [])
  })

  test('W-45 W-68 are a string, or all strings of an array that are not empty', () => {
    assert.deepEqual(withGroups('sales'), ['sales'])
    assert.deepEqual(withGroups(['sales']), ['sales'])
    assert.deepEqual(withGroups(['sales', '', 'admins', 'sales']), ['admins', 'sales'])
  })

  test('K-09 W-45 W-69 are refused when the claim is neither a string nor an array of strings', () => {
    const refused = [0, 1, true, false, {}, { 0: 'sales' }, [1], ['sales', 1], ['sales', null], [['sales']], [{}]]
    for (const value of refused) assert.equal(groupsRefusal(value), 'INVALID_ENROLLMENT_TOKEN', JSON.stringify(value))
    assert.equal(groupsRefusal(['sales']), 'accepted')
  })

  test('K-10 are at most 100, with at most 128 characters each', () => {
    const many = (count: number) => Array.from({ length: count }, (_, index) => `a${index}`)
    assert.equal(groupsRefusal(many(100)), 'accepted')
    assert.equal(groupsRefusal(many(101)), 'COULD_NOT_VALIDATE roleAttributes')
    assert.equal(groupsRefusal(many(10_000)), 'COULD_NOT_VALIDATE roleAttributes')
    assert.equal(groupsRefusal('x'.repeat(128)), 'accepted')
    assert.equal(groupsRefusal('x'.repeat(129)), 'COULD_NOT_VALIDATE roleAttributes')
    assert.equal(groupsRefusal('x'.repeat(1024 * 1024)), 'COULD_NOT_VALIDATE roleAttributes')
    assert.deepEqual(withGroups(Array(10_000).fill('same')), ['same'])
  })

  test('K-10 must not begin with a prefix of roles or ids or contain invisible characters, and are stored unchanged', () => {
    const treacherous = ['\u0000', '\n', '\u0085', '\u200b', '\u202e', '\u2066', '\ufeff', '\ud800']
    for (const value of ['#admins', '@id', '#all', ' ', ...treacherous.map((character) => `a${character}b`)]) {
      assert.equal(groupsRefusal(['sales', value]), 'COULD_NOT_VALIDATE roleAttributes', JSON.stringify(value))
    }
    for (const value of [' sales ', 'a#b', 'a@b', 'Ａ', 'e\u0301', 'é']) assert.deepEqual(withGroups(value), [value])
  })
})

describe('the name', () => {
  test('K-12 W-69 must be a string that is not blank', () => {
    const refused: JsonObject[] = [{}, ...[null, 1, true, {}, ['Alice'], '', ' ', '\t\n'].map((name) => ({ name }))]
    for (const claims of refused) {
      assert.equal(nameRefusal(claims), 'INVALID_ENROLLMENT_TOKEN', JSON.stringify(claims))
    }
    assert.equal(nameRefusal({ name: 'Alice' }), 'accepted')
  })

  test('K-13 is stored unchanged up to 256 characters, and refused beyond or with invisible characters', () => {
    for (const name of ['../x', '<script>alert(1)</script>', '=cmd()', "Robert'); --", 'x'.repeat(256), ' Alice ']) {
      assert.equal(enroll({ name }, { enrollNameClaimsSelector: '/name' }).settings.name, name)
    }
    for (const name of ['x'.repeat(257), 'x'.repeat(10_240), 'a\r\nb', '\u001b[31mred', 'a\u202eb']) {
      assert.equal(nameRefusal({ name }), 'COULD_NOT_VALIDATE name', JSON.stringify(name))
    }
  })
})

test('a stored selector that cannot be parsed is an error of the server, not of the token', () => {
  assert.throws(() => enroll({}, { enrollNameClaimsSelector: '/~' }), TypeError)
  assert.equal(nameRefusal({ name: 'Alice' }), 'accepted')
})

describe('the identity claim', () => {
  const asId = (claim: string) => enroll({}, { useExternalId: false }, claim)

  test('D21 becomes the external id, or the id when the signer matches ids', () => {
    assert.deepEqual(enroll({}, {}, 'any text at all').key, { useExternalId: true, externalId: 'any text at all' })
    const { key, settings } = asId('auth0|5f7c8ec7c33c6c004bbafe82')
    assert.deepEqual(key, { useExternalId: false, id: 'auth0|5f7c8ec7c33c6c004bbafe82' })
    assert.equal(settings.externalId, null)
  })

  test('D21 W-69 is refused as an id when it cannot be one, with advice', () => {
    for (const claim of ['a', 'A1', 'a@b.example', 'repo:acme+x=~-', 'x'.repeat(128), 'systems', 'unattributed-1']) {
      assert.equal(
        refusalOf(() => asId(claim)),
        'accepted',
        claim,
      )
    }
    const refused = ['-a', '.', '..', '../x', '@a', 'a b', 'a/b', 'a%2f', 'ä', 'a\n', "a'", 'x'.repeat(129)]
    for (const claim of [...refused, 'system', 'unattributed'])
      assert.equal(
        refusalOf(() => asId(claim)),
        'INVALID_ENROLLMENT_TOKEN',
        claim,
      )
    assert.throws(() => asId('a b'), /useExternalId/)
  })
})
