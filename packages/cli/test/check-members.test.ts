import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AuthPolicyWrite, CaCreate, ExtJwtSignerWrite, IdentityWrite, RESPONSES } from '@countersign/contract'
import { checkMembers, listAccepted, pickAccepted } from '../src/resources/check-members.ts'
import { CAS, IDENTITIES, NEW_CAS, POLICIES, SIGNERS } from '../src/resources/kinds.ts'
import type { ResourceKind } from '../src/resources/resource-kind.ts'

type Shapes = Readonly<Record<string, unknown>>

const innerOf = (shape: unknown) => (shape as { readonly properties?: Shapes }).properties

/** The members of nested objects in a schema, by path. */
function listInner(shapes: Shapes, path = ''): [string, string[]][] {
  return Object.entries(shapes).flatMap(([name, shape]): [string, string[]][] => {
    const inner = innerOf(shape)
    return inner ? [[path + name, Object.keys(inner)], ...listInner(inner, `${path}${name}.`)] : []
  })
}

const sorted = (names: Iterable<string>) => [...new Set(names)].sort()

// `enrollment` is accepted on creation only.
const { enrollment: _, ...identityMembers } = IdentityWrite.properties

// `certPem` is accepted on creation only.
const { certPem: __, ...caMembers } = CaCreate.properties

const KINDS: readonly (readonly [kind: ResourceKind, body: Shapes, response: Shapes])[] = [
  [SIGNERS, ExtJwtSignerWrite.properties, RESPONSES.Signer.properties],
  [POLICIES, AuthPolicyWrite.properties, RESPONSES.AuthPolicy.properties],
  [CAS, caMembers, RESPONSES.Ca.properties],
  [NEW_CAS, { ...caMembers, certPem: {} }, RESPONSES.Ca.properties],
  [IDENTITIES, identityMembers, RESPONSES.Identity.properties],
]

for (const [kind, body, response] of KINDS) {
  test(`the members of ${kind.plural} are those of the contract, at every depth`, () => {
    const { readOnly, innerMembers = {}, fields } = kind
    const accepted = listAccepted(kind)
    assert.deepEqual(sorted(accepted), sorted(Object.keys(body)))
    const known = [...accepted, ...readOnly]
    assert.deepEqual(
      Object.keys(response).filter((name) => !known.includes(name)),
      [],
    )
    assert.deepEqual(
      readOnly.filter((name) => accepted.includes(name)),
      [],
    )
    assert.deepEqual(innerMembers, Object.fromEntries(listInner(body)))
    for (const { member } of fields) {
      const inside = member.split('.').reduceRight<unknown>((value, name) => ({ [name]: value }), true)
      checkMembers(kind, inside as Record<string, unknown>, { where: 'flag', known: accepted })
    }
  })
}

test('objects with free members are not checked', () => {
  const known = SIGNERS.writable
  checkMembers(SIGNERS, { tags: { any: { thing: 1 } }, requiredClaims: { any: 'x' } }, { where: 'here', known })
  assert.throws(
    () => checkMembers(SIGNERS, { tag: { any: 1 } }, { where: 'here', known }),
    /here: there is no member "tag"/,
  )
})

test('read-only members are ignored where a whole response is accepted', () => {
  const known = listAccepted(SIGNERS)
  const response = { id: 'x', _links: {}, keyStatus: {}, enabled: false }
  assert.deepEqual(pickAccepted(SIGNERS, response, { where: 'here', known }), { enabled: false })
  assert.throws(() => pickAccepted(SIGNERS, { ...response, ids: 'x' }, { where: 'here', known }), /no member "ids"/)
})
