import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CountersignError } from '@countersign/sdk'
import { CliError } from '../src/cli-error.ts'
import { IDENTITIES, POLICIES, SIGNERS } from '../src/resources/kinds.ts'
import { applyPlan } from '../src/state/apply-plan.ts'
import { describeRights } from '../src/state/describe-rights.ts'
import { type State, toNamed } from '../src/state/named-state.ts'
import { buildPlan, parseDesired } from '../src/state/plan.ts'

const STATE: State = new Map([
  [
    SIGNERS,
    [{ id: 's1', name: 'acme', enabled: true, issuer: 'i', audience: 'a', enrollAuthPolicyId: 'p1', scopes: [] }],
  ],
  [
    POLICIES,
    [{ id: 'p1', name: 'staff', primary: { extJwt: { allowed: true, allowedSigners: ['s1'] } }, secondary: {} }],
  ],
  [
    IDENTITIES,
    [
      {
        id: 'i1',
        name: 'erin',
        type: { id: 'User' },
        typeId: 'User',
        isAdmin: false,
        authPolicyId: 'p1',
        roleAttributes: ['a', 'b'],
      },
    ],
  ],
])

const planFor = (file: Record<string, unknown>) =>
  buildPlan(parseDesired(file, 'file'), STATE).map(({ kind, name, existing, members }) => [
    existing ? 'update' : 'create',
    kind.singular,
    name,
    members,
  ])

test('the plan for an export is empty', () => {
  const file = Object.fromEntries(
    [SIGNERS, POLICIES, IDENTITIES].map((kind) => [
      kind.plural,
      (STATE.get(kind) ?? []).map((item) => toNamed(kind, item, STATE)),
    ]),
  )
  assert.equal((file.signers as { enrollAuthPolicyId: string }[])[0]?.enrollAuthPolicyId, 'staff')
  assert.deepEqual((file.policies as { primary: unknown }[])[0]?.primary, {
    extJwt: { allowed: true, allowedSigners: ['acme'] },
  })
  assert.deepEqual(planFor(file), [])
})

test('only members that the file names and that differ are updated', () => {
  assert.deepEqual(planFor({ signers: [{ name: 'acme', audience: 'b', issuer: 'i' }] }), [
    ['update', 'signer', 'acme', { audience: 'b' }],
  ])
  assert.deepEqual(planFor({ policies: [{ name: 'staff', primary: { extJwt: { allowed: true } } }] }), [])
  assert.deepEqual(planFor({ policies: [{ name: 'staff', primary: { extJwt: { allowed: false } } }] }), [
    ['update', 'policy', 'staff', { primary: { extJwt: { allowed: false } } }],
  ])
})

test('null, empty and unset are equal, the order of strings is ignored, and references can be ids', () => {
  assert.deepEqual(
    planFor({ identities: [{ name: 'erin', roleAttributes: ['b', 'a'], externalId: null, permissions: [] }] }),
    [],
  )
  assert.deepEqual(planFor({ identities: [{ name: 'erin', authPolicyId: 'p1' }] }), [])
  assert.deepEqual(planFor({ identities: [{ name: 'erin', roleAttributes: ['a'] }] }), [
    ['update', 'identity', 'erin', { roleAttributes: ['a'] }],
  ])
})

test('a new item has the default members beside its own', () => {
  assert.deepEqual(planFor({ identities: [{ name: 'frank', roleAttributes: ['x'] }] }), [
    ['create', 'identity', 'frank', { type: 'Default', isAdmin: false, name: 'frank', roleAttributes: ['x'] }],
  ])
})

const MISTAKES: readonly (readonly [
  expected: RegExp,
  wrong: Record<string, unknown>,
  right: Record<string, unknown>,
])[] = [
  [/"signer" is not one of/, { signer: [] }, { signers: [] }],
  [/signers is not a list/, { signers: {} }, { signers: [] }],
  [/signers\[0\] is not a signer/, { signers: ['acme'] }, { signers: [{ name: 'acme' }] }],
  [/signers\[0\] has no name/, { signers: [{ issuer: 'i' }] }, { signers: [{ name: 'acme', issuer: 'i' }] }],
  [
    /defined twice/,
    { signers: [{ name: 'acme' }, { name: 'acme' }] },
    { signers: [{ name: 'acme' }, { name: 'other' }] },
  ],
  [/no member "colour"/, { signers: [{ name: 'acme', colour: 1 }] }, { signers: [{ name: 'acme', kid: '1' }] }],
]

for (const [expected, wrong, right] of MISTAKES) {
  test(`a file in which ${expected.source} is refused with the place, and accepted when corrected`, () => {
    assert.throws(
      () => parseDesired(wrong, 'file'),
      (error) => error instanceof CliError && expected.test(error.message),
    )
    parseDesired(right, 'file')
  })
}

test('D59 only the attributes of administrators are exported, and a file need not list those of signers', () => {
  const [identity = assert.fail()] = STATE.get(IDENTITIES) ?? []
  const origins = [
    { attribute: 'a', origin: 'manual' },
    { attribute: 'a', origin: 'signer', signerId: 's1' },
    { attribute: 'b', origin: 'signer', signerId: 's1' },
  ]
  const state = new Map([...STATE, [IDENTITIES, [{ ...identity, attributeOrigins: origins }]]])
  const planned = (roleAttributes: string[]) =>
    buildPlan(parseDesired({ identities: [{ name: 'erin', roleAttributes }] }, 'file'), state).map(
      ({ members }) => members,
    )
  assert.deepEqual(toNamed(IDENTITIES, state.get(IDENTITIES)?.[0] ?? assert.fail(), state).roleAttributes, ['a'])
  assert.deepEqual(planned(['a']), [])
  assert.deepEqual(planned(['a', 'b']), [], 'writing what a signer supplies changes nothing')
  assert.deepEqual(planned(['a', 'c']), [{ roleAttributes: ['a', 'c'] }])
  assert.deepEqual(planned([]), [{ roleAttributes: [] }])
})

test('an item that is named like the id of another one takes none of its references', async () => {
  const policies = [
    { id: 'default', name: 'Default' },
    { id: 'p2', name: 'default' },
  ]
  const state: State = new Map([...STATE, [POLICIES, policies]])
  const sent: unknown[] = []
  const create = async (members: { authPolicyId?: unknown }) => {
    sent.push(members.authPolicyId)
    return 'new'
  }
  const client = { identities: { create } } as never
  for (const authPolicyId of ['default', 'Default', 'p2']) {
    const file = { identities: [{ name: `new ${authPolicyId}`, authPolicyId }] }
    await applyPlan({ controller: client }, buildPlan(parseDesired(file, 'file'), state), state, () => {})
  }
  assert.deepEqual(sent, ['default', 'default', 'p2'])
})

test('Q-27 an unchanged export changes nothing, also when a policy is named like the id of another', async () => {
  const policies = [
    { id: 'default', name: 'Default' },
    { id: 'p2', name: 'default' },
  ]
  const [identity = assert.fail()] = STATE.get(IDENTITIES) ?? []
  const exported = (authPolicyId: string) => {
    const state: State = new Map([...STATE, [POLICIES, policies], [IDENTITIES, [{ ...identity, authPolicyId }]]])
    const named = toNamed(IDENTITIES, { ...identity, authPolicyId }, state)
    assert.deepEqual(buildPlan(parseDesired({ identities: [named] }, 'file'), state), [])
    return named.authPolicyId
  }
  assert.deepEqual(exported('p2'), { name: 'default' })
  assert.equal(exported('default'), 'Default')

  const state: State = new Map([...STATE, [POLICIES, policies]])
  const sent: unknown[] = []
  const client = { identities: { patch: async (_id: string, members: object) => sent.push(members) } } as never
  const file = { identities: [{ name: 'erin', authPolicyId: 'p2' }] }
  await applyPlan({ controller: client }, buildPlan(parseDesired(file, 'file'), state), state, () => {})
  assert.deepEqual(sent, [{ authPolicyId: 'p2' }])
})

test('the plan says which rights an update gives an identity', () => {
  const rightsOf = (members: object, before: object = {}) => {
    const [identity = assert.fail()] = STATE.get(IDENTITIES) ?? []
    const state: State = new Map([...STATE, [IDENTITIES, [{ ...identity, ...before }]]])
    const [step] = buildPlan(parseDesired({ identities: [{ name: 'erin', ...members }] }, 'file'), state)
    return step && Object.fromEntries(describeRights(step))
  }
  assert.deepEqual(rightsOf({ isAdmin: true }), { isAdmin: 'becomes an administrator' })
  assert.deepEqual(rightsOf({ isAdmin: false }, { isAdmin: true }), {})
  assert.deepEqual(rightsOf({ permissions: ['ca', 'identity'] }, { permissions: ['ca'] }), {
    permissions: 'gains identity',
  })
  assert.deepEqual(rightsOf({ permissions: [] }, { permissions: ['ca'] }), {})
  assert.deepEqual(rightsOf({ roleAttributes: ['x'] }), {})
})

/** A new policy that a signer references, so that the reference is set at the end. Returns what is sent for the signer. */
async function applyWithDeferred({ version, tags, writer }: { version: string; tags?: object; writer: string }) {
  const [signer = assert.fail()] = STATE.get(SIGNERS) ?? []
  const before = { state: 'trusted', writtenBy: { id: 'me', name: 'me' }, writtenAt: 'then' }
  const now = { ...before, writtenBy: { id: writer, name: writer } }
  const state: State = new Map([...STATE, [SIGNERS, [{ ...signer, trust: before }]]])
  const sent: unknown[] = []
  const client = {
    signers: {
      patch: async (_id: string, members: object, { ifMatch }: { ifMatch?: string }) => sent.push([members, ifMatch]),
      getVersioned: async () => ({ item: { ...signer, trust: now }, version: 'after' }),
    },
    authPolicies: { create: async () => 'p9' },
    currentIdentity: async () => ({ id: 'me' }),
  } as never
  const desired = { signers: [{ name: 'acme', enrollAuthPolicyId: 'new', ...tags }], policies: [{ name: 'new' }] }
  const plan = buildPlan(parseDesired(desired, 'file'), state).map((step) => ({ ...step, version }))
  await applyPlan({ controller: client }, plan, state, () => {})
  return sent
}

test('D55 every change of an existing item names the version that the plan was made for', async () => {
  const reference = { enrollAuthPolicyId: 'p9' }
  assert.deepEqual(await applyWithDeferred({ version: 'v', writer: 'other' }), [[reference, 'v']])
  const twice = { version: 'v', tags: { tags: { a: 1 } } }
  assert.deepEqual(await applyWithDeferred({ ...twice, writer: 'me' }), [
    [{ tags: { a: 1 } }, 'v'],
    [reference, 'after'],
  ])
  await assert.rejects(applyWithDeferred({ ...twice, writer: 'other' }), { exitCode: 6 })
})

/** An update whose first attempt finds another version of the item, in which `changed` differs. Returns the versions that were sent. */
async function applyToChanged(changed: object): Promise<(string | undefined)[]> {
  const [identity = assert.fail()] = STATE.get(IDENTITIES) ?? []
  const sent: (string | undefined)[] = []
  const client = {
    identities: {
      patch: async (_id: string, _members: object, { ifMatch }: { ifMatch?: string }) => {
        sent.push(ifMatch)
        if (ifMatch !== 'after') throw new CountersignError({ code: 'PRECONDITION_FAILED', message: 'x', status: 412 })
      },
      getVersioned: async () => ({ item: { ...identity, ...changed }, version: 'after' }),
    },
  } as never
  const file = { identities: [{ name: 'erin', externalId: 'x' }] }
  const plan = buildPlan(parseDesired(file, 'file'), STATE).map((step) => ({ ...step, version: 'before' }))
  await applyPlan({ controller: client }, plan, STATE, () => {})
  return sent
}

test('a plan does not conflict with what its own steps do to other items, but with what others have written', async () => {
  assert.deepEqual(await applyToChanged({ updatedAt: 'later', attributeOrigins: undefined }), ['before', 'after'])
  await assert.rejects(applyToChanged({ isAdmin: true }), { exitCode: 6, message: 'identity erin: x' })
})

test('times, scopes, sets and numbers are compared as the controller stores them', () => {
  const [identity = assert.fail()] = STATE.get(IDENTITIES) ?? []
  const [signer = assert.fail()] = STATE.get(SIGNERS) ?? []
  const state: State = new Map([
    ...STATE,
    [SIGNERS, [{ ...signer, scopes: ['openid', 'email'], tags: { a: null } }]],
    [IDENTITIES, [{ ...identity, expiresAt: '2100-01-01T00:00:00.000Z' }]],
    [
      POLICIES,
      [{ id: 'p1', name: 'staff', primary: { updb: { minPasswordLength: 5 }, extJwt: { requireAcr: ['a', 'b'] } } }],
    ],
  ])
  const plan = (file: Record<string, unknown>) =>
    buildPlan(parseDesired(file, 'file'), state).flatMap(({ changes }) => changes.map(({ path }) => path))
  assert.deepEqual(plan({ identities: [{ name: 'erin', expiresAt: '2100-01-01T01:00:00+01:00', type: 'User' }] }), [])
  assert.deepEqual(plan({ identities: [{ name: 'erin', expiresAt: '2100-01-01T01:00:00Z' }] }), ['expiresAt'])
  assert.deepEqual(plan({ signers: [{ name: 'acme', scopes: 'openid  email', tags: { a: null, dropped: {} } }] }), [])
  assert.deepEqual(plan({ signers: [{ name: 'acme', scopes: ['email', 'openid'], tags: {} }] }), ['scopes', 'tags'])
  assert.deepEqual(plan({ policies: [{ name: 'staff', primary: { updb: { minPasswordLength: 2 } } }] }), [])
  assert.deepEqual(plan({ policies: [{ name: 'staff', primary: { extJwt: { requireAcr: ['b', 'a'] } } }] }), [
    'primary.extJwt.requireAcr',
  ])
})

test('a reference that leads nowhere, or could mean two items, is refused before anything is done', () => {
  const policies = [
    { id: 'default', name: 'Default' },
    { id: 'p2', name: 'other' },
  ]
  const state: State = new Map([...STATE, [POLICIES, policies]])
  const plan = (authPolicyId: unknown, more: object = {}) =>
    buildPlan(parseDesired({ identities: [{ name: 'erin', authPolicyId }], ...more }, 'file'), state)
  assert.throws(() => plan('nothing'), { exitCode: 5 })
  assert.throws(() => plan({ id: 'other' }), { exitCode: 5 }, 'a name is no id')
  assert.equal(plan({ name: 'other' }).length, 1)
  assert.throws(() => plan('default', { policies: [{ name: 'default' }] }), { exitCode: 2 })
  assert.equal(plan({ id: 'default' }, { policies: [{ name: 'default' }] }).length, 2)
})
