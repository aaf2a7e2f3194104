import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ANSWERS, AuthPolicyWrite, ExtJwtSignerWrite, IdentityWrite } from '@countersign/contract'
import { checkMembers, listTaken, pickTaken } from '../src/resources/check-members.ts'
import { IDENTITIES, POLICIES, SIGNERS } from '../src/resources/kinds.ts'
import type { ResourceKind } from '../src/resources/resource-kind.ts'

type Shapes = Readonly<Record<string, unknown>>

const innerOf = (shape: unknown) => (shape as { readonly properties?: Shapes }).properties

/** The members of objects that are described member by member, by their paths. */
function listInner(shapes: Shapes, path = ''): [string, string[]][] {
  return Object.entries(shapes).flatMap(([name, shape]): [string, string[]][] => {
    const inner = innerOf(shape)
    return inner ? [[path + name, Object.keys(inner)], ...listInner(inner, `${path}${name}.`)] : []
  })
}

const sorted = (names: Iterable<string>) => [...new Set(names)].sort()

// What a new identity enrolls to is for its creation alone.
const { enrollment: _, ...identityMembers } = IdentityWrite.properties

const KINDS: readonly (readonly [kind: ResourceKind, body: Shapes, answer: Shapes])[] = [
  [SIGNERS, ExtJwtSignerWrite.properties, ANSWERS.Signer.properties],
  [POLICIES, AuthPolicyWrite.properties, ANSWERS.AuthPolicy.properties],
  [IDENTITIES, identityMembers, ANSWERS.Identity.properties],
]

for (const [kind, body, answer] of KINDS) {
  test(`the members of ${kind.plural} are those of the contract, at every depth`, () => {
    const { readOnly, innerMembers = {}, fields } = kind
    const taken = listTaken(kind)
    assert.deepEqual(sorted(taken), sorted(Object.keys(body)))
    const known = [...taken, ...readOnly]
    assert.deepEqual(
      Object.keys(answer).filter((name) => !known.includes(name)),
      [],
    )
    assert.deepEqual(
      readOnly.filter((name) => taken.includes(name)),
      [],
    )
    assert.deepEqual(innerMembers, Object.fromEntries(listInner(body)))
    for (const { member } of fields) {
      const inside = member.split('.').reduceRight<unknown>((value, name) => ({ [name]: value }), true)
      checkMembers(kind, inside as Record<string, unknown>, { where: 'flag', known: taken })
    }
  })
}

test('objects that hold what they like are not looked into', () => {
  const known = SIGNERS.writable
  checkMembers(SIGNERS, { tags: { any: { thing: 1 } }, requiredClaims: { any: 'x' } }, { where: 'here', known })
  assert.throws(
    () => checkMembers(SIGNERS, { tag: { any: 1 } }, { where: 'here', known }),
    /here: there is no member "tag"/,
  )
})

test('what only answers have is passed over where a whole answer may stand', () => {
  const known = listTaken(SIGNERS)
  const answer = { id: 'x', _links: {}, keyStatus: {}, enabled: false }
  assert.deepEqual(pickTaken(SIGNERS, answer, { where: 'here', known }), { enabled: false })
  assert.throws(() => pickTaken(SIGNERS, { ...answer, ids: 'x' }, { where: 'here', known }), /no member "ids"/)
})
