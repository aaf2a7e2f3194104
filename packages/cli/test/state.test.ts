import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { type Field, isGroup, type Members } from '@countersign/contract/resource'
import {
  createControllerStage,
  makeTestAuthority,
  makeTestCertificate,
  mintKey,
  mintKeySet,
} from '@countersign/testkit'
import { parse, stringify } from 'yaml'
import type { ResourceDescription } from '../src/resources/resource-kind.ts'
import { KINDS, listFileMembers } from '../src/state/state-kinds.ts'
import { runCaptured } from './captured-run.ts'

const stage = createControllerStage({ after })
const PASSWORD = 'password of state'
let homes = 0

/** An empty controller, and an administrator who is logged in. */
async function setUp(
  given = stage.start({ env: { COUNTERSIGN_ADMIN_PASSWORD: PASSWORD }, dataDir: join(stage.folder, `data-${homes}`) }),
) {
  const home = join(stage.folder, `home-${homes++}`)
  mkdirSync(home)
  const { ready } = await given
  const env = { HOME: home }
  const run = (line: string, more: readonly string[] = []) => runCaptured([...line.split(' '), ...more], { env })
  const ok = async (line: string, more: readonly string[] = []) => {
    const { exitCode, stdout, stderr } = await run(line, more)
    assert.equal(exitCode, 0, `${line}: ${stderr}${stdout}`)
    return stdout
  }
  const write = (state: object | string) => {
    const path = join(home, 'state.yaml')
    writeFileSync(path, typeof state === 'string' ? state : stringify(state), { mode: 0o600 })
    return path
  }
  const apply = (state: object | string, more = '') => ok(`apply --yes -q -f ${write(state)} --out ${home}${more}`)
  const tryApply = (state: object | string, more = '') => run(`apply --yes -q -f ${write(state)}${more}`)
  const show = async (line: string) => JSON.parse(await ok(`${line} -o json`))
  const logIn = `login ${ready.baseUrl} -u admin --password-stdin --ca-file ${ready.caFile}`.split(' ')
  const { exitCode, stderr } = await runCaptured(logIn, { env, input: { readAll: async () => `${PASSWORD}\n` } })
  assert.equal(exitCode, 0, stderr)
  return { ready, home, env, run, ok, write, apply, tryApply, show }
}

const [first, second] = [setUp(), setUp()]

/** A generator of numbers from 0 to 1 (mulberry32), so that a failing case can be repeated. */
function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

interface Context {
  readonly random: () => number
  readonly index: number
}

const flip = ({ random }: Context): boolean => random() < 0.5
const pick = <Value>({ random }: Context, values: readonly Value[]): Value =>
  values[Math.floor(random() * values.length)] as Value
const words = (context: Context): string[] =>
  ['north', 'sales: "#1"', "o'clock", 'ä ö', '- dash', 'null', '12', 'true'].filter(() => flip(context))
const url = ({ index }: Context, path = '') => `https://host-${index}.example/${path}`
const scalars = (context: Context) =>
  flip(context) ? { team: 'iam', size: 3, old: false, nothing: null, 'a.b': '~' } : {}

/** Each signer has its keys from another source. */
const sourceOf = ({ index }: Context) => (['jwksEndpoint', 'jwks', 'certPems'] as const)[index % 3]
const ofSource = (source: string, context: Context, value: unknown) => (sourceOf(context) === source ? value : null)

/** Values of members that have rules of their own, by kind and path. Undefined: not in the file. */
const VALUES: Readonly<Record<string, (context: Context) => unknown>> = {
  'cas.certPem': ({ index }) => makeTestAuthority({ commonName: `ca ${index}` }).pem,
  'cas.externalIdClaim': (context) =>
    flip(context)
      ? {
          location: 'COMMON_NAME',
          matcher: 'PREFIX',
          matcherCriteria: 'spiffe:',
          parser: 'SPLIT',
          parserCriteria: '/',
          index: 2,
        }
      : null,
  'signers.issuer': (context) => url(context, 'realm'),
  'signers.audience': ({ index }) => `audience ${index}`,
  'signers.jwksEndpoint': (context) => ofSource('jwksEndpoint', context, url(context, 'jwks')),
  'signers.certPem': () => null,
  'signers.jwks': (context) => ofSource('jwks', context, mintKeySet(mintKey('P-256'), mintKey('RSA'))),
  'signers.certPems': (context) => ofSource('certPems', context, [makeTestCertificate().pem]),
  'signers.pushedKeys': () => null,
  'signers.jwksAuthorization': () => undefined,
  'signers.pinnedKeyThumbprints': (context) => (flip(context) ? ['A'.repeat(43)] : []),
  'signers.requireKeyContinuity': (context) => sourceOf(context) === 'jwksEndpoint' && flip(context),
  'signers.kid': () => null,
  'signers.oneUse': () => false,
  'signers.testCases': (context) =>
    flip(context) ? [{ name: 'a', claims: { iss: 'x' }, expect: { outcome: 'refused', check: 'issuer' } }] : [],
  'signers.jwksCaPem': (context) =>
    ofSource('jwksEndpoint', context, flip(context) ? makeTestAuthority({ commonName: 'jwks' }).pem : null),
  'signers.claimsProperty': (context) => pick(context, ['sub', '/email', null]),
  'signers.enrollNameClaimsSelector': (context) => pick(context, ['name', null]),
  'signers.enrollAttributeClaimsSelector': (context) => pick(context, ['/groups', null]),
  'signers.enrollToTokenEnabled': () => true,
  'signers.openIdConfigurationUrl': (context) => (flip(context) ? url(context, 'openid') : null),
  'signers.externalAuthUrl': (context) => (flip(context) ? url(context, 'auth') : null),
  'signers.enrollAuthPolicyId': ({ index }) => `policy ${index}`,
  'signers.requiredClaims': (context) =>
    flip(context) ? { role: 'a', group: ['b', 'c'], '/ref': { glob: 'refs/*' } } : null,
  'signers.sharedSignals': (context) =>
    flip(context)
      ? { audience: 'x', issuer: url(context), jwksUri: url(context, 's'), actions: { 'session-revoked': 'log' } }
      : null,
  'signers.scimGroupAttributeTemplate': () => 'g-{displayName}',
  // Signers can let subjects enroll with these policies.
  'policies.primary.extJwt.allowed': () => true,
  'policies.primary.cert.allowed': () => true,
  'policies.primary.extJwt.allowedSigners': (context) =>
    ['signer 2', 'signer 0', 'signer 1'].filter(() => flip(context)),
  'signers.acceptRule': (context) => (flip(context) ? 'claims.a == "b"' : null),
  'signers.attributeRules': (context) => (flip(context) ? ['claims.groups', '["a"]'] : []),
  'policies.acceptRule': (context) => (flip(context) ? 'claims.a == "b"' : null),
  'policies.primary.extJwt.requireAcr': (context) => (flip(context) ? ['silver', 'gold'] : []),
  'policies.secondary.requireExtJwtSigner': (context) => (flip(context) ? 'signer 0' : null),
  'identities.type': () => 'Default',
  'identities.externalId': (context) => (flip(context) ? `external ${context.index}` : null),
  'identities.authPolicyId': (context) => pick(context, ['policy 0', 'Default', 'policy 1']),
  'identities.linkedSigners': (context) => ['signer 1', 'signer 0'].filter(() => flip(context)),
  'identities.permissions': (context) => ['identity.read', 'ca', 'enrollment'].filter(() => flip(context)),
  'identities.expiresAt': (context) => (flip(context) ? '2100-01-31T18:00:00Z' : null),
  'identities.disabledUntil': (context) => (flip(context) ? '2099-01-31T18:00:00Z' : null),
  'identities.serviceHostingCosts': () => undefined,
  'identities.serviceHostingPrecedences': () => undefined,
  'providers.kind': () => 'oidc',
  'providers.issuer': (context) => url(context, 'provider'),
  'providers.discoveryUrl': () => null,
  'providers.jwksUri': (context) => url(context, 'keys'),
  'providers.tokenUrl': (context) => url(context, 'token'),
  'providers.clientIdClaim': (context) => pick(context, ['azp', null]),
  'providers.audience': (context) => pick(context, ['aud', null]),
  'providers.administration': (context) =>
    pick<unknown>(context, [
      null,
      { kind: 'manual' },
      { kind: 'keycloak', url: url(context), realm: 'r', clientId: 'c' },
    ]),
  'sinks.kind': (context) => pick(context, ['otlp', 'webhook']),
  'sinks.url': (context) => url(context, 'events'),
  'sinks.secret': () => undefined,
  'sinks.filter': (context) =>
    flip(context) ? { types: ['entityChange'], signers: ['signer 0', 'signer 2'], outcomes: ['refused'] } : null,
  'networks.controllerUrl': (context) => url(context),
  'accounts.identityProviderId': () => 'provider 0',
  'accounts.kind': () => 'federated',
  'accounts.clientId': () => undefined,
  'accounts.rotation': () => null,
  'accounts.conditions': (context) => ({
    repository: `acme/app-${context.index}`,
    ref: pick<unknown>(context, ['main', ['a', 'b'], { glob: 'v*' }]),
  }),
  'accounts.contactEmail': (context) => pick(context, ['ci@example.com', null]),
  'accounts.expiresAt': (context) => (flip(context) ? '2100-01-31T18:00:00Z' : null),
}

/** A value of any other member, by its type: members that are added later are covered too. */
function makeValue(context: Context, { schema, notes }: Field): unknown {
  const type = (notes.accepts ?? schema) as {
    type?: string
    enum?: readonly unknown[]
    minimum?: number
    maximum?: number
    maxLength?: number
  }
  if (notes.default === null && flip(context)) return null
  if (type.enum) return pick(context, type.enum)
  switch (type.type) {
    case 'boolean':
      return flip(context)
    case 'integer':
      return Math.floor(
        (type.minimum ?? 6) + context.random() * Math.min(50, (type.maximum ?? 100) - (type.minimum ?? 6)),
      )
    case 'array':
      return words(context)
    case 'object':
      return scalars(context)
    default:
      return pick(context, ['plain', ' two  words ', 'multi: "line"', '#'])
  }
}

function makeItem(kind: ResourceDescription, context: Context): Record<string, unknown> {
  const make = (members: Members, path: string, names: readonly string[]): Record<string, unknown> =>
    Object.fromEntries(
      names.flatMap((name) => {
        const [member, full] = [members[name], `${path}.${name}`]
        if (!member) return []
        const value = isGroup(member)
          ? make(member.members, full, Object.keys(member.members))
          : VALUES[full]
            ? VALUES[full](context)
            : makeValue(context, member)
        return value === undefined ? [] : [[name, value]]
      }),
    )
  return { ...make(kind.members, kind.plural, listFileMembers(kind)), name: `${kind.singular} ${context.index}` }
}

const ITEMS = 3

test('export, apply on an empty controller and export again is byte-equal, with every member of every kind', async () => {
  const [one, two] = [await first, await second]
  const random = createRandom(20_261_118)
  const state = Object.fromEntries(
    KINDS.map((kind) => [kind.plural, Array.from({ length: ITEMS }, (_, index) => makeItem(kind, { random, index }))]),
  )
  await one.apply(state)
  assert.equal(await one.apply(state), 'nothing to do\n', 'the first file is applied completely')
  const exported = await one.ok('export -q')
  assert.equal(await one.apply(exported), 'nothing to do\n')
  assert.match(exported, /disabled: true\n/)

  await two.apply(exported)
  const withoutDates = (text: string) => text.replaceAll(/(disabledUntil:).*/g, '$1')
  assert.equal(withoutDates(await two.ok('export -q')), withoutDates(exported))
  assert.equal(await two.apply(exported), 'nothing to do\n')
  assert.deepEqual(parse(await two.ok('export -q -o json')), parse(await two.ok('export -q')))
})

const SIGNER = {
  name: 'clearable',
  issuer: 'https://clearable.example',
  audience: 'a',
  jwksEndpoint: 'https://nowhere.invalid/jwks',
}
const CLEARABLE = {
  kid: 'k',
  externalAuthUrl: 'https://clearable.example/login',
  clientId: 'c',
  claimsProperty: '/email',
  maxTokenAgeSeconds: 60,
  requiredClaims: { team: 'iam' },
  scopes: ['openid'],
  additionalAudiences: ['b'],
  enrollAuthPolicyId: 'default',
  targetToken: 'ID',
  tags: { team: 'iam' },
}
const CLEARED = {
  ...{ kid: null, externalAuthUrl: null, clientId: null, claimsProperty: '/sub', maxTokenAgeSeconds: null },
  ...{ requiredClaims: null, scopes: null, additionalAudiences: [], enrollAuthPolicyId: null, targetToken: 'ACCESS' },
  tags: {},
}
const NULLS = Object.fromEntries(Object.keys(CLEARABLE).map((member) => [member, null]))

test('null clears every member, in apply, in update and in edit', async () => {
  const { env, ok, apply, show, write } = await first
  const read = async () => {
    const signer = await show('signers show clearable')
    return Object.fromEntries(Object.keys(CLEARABLE).map((member) => [member, signer[member]]))
  }
  const ways: Readonly<Record<string, () => Promise<unknown>>> = {
    apply: () => apply({ signers: [{ name: 'clearable', ...NULLS }] }),
    update: () => ok(`signers update clearable -f ${write(NULLS)}`),
    edit: () =>
      runCaptured(['signers', 'edit', 'clearable'], {
        env: { ...env, EDITOR: `cp ${write({ ...SIGNER, enabled: true })}` },
      }),
  }
  for (const [way, clear] of Object.entries(ways)) {
    await apply({ signers: [{ ...SIGNER, ...CLEARABLE }] })
    assert.deepEqual(await read(), CLEARABLE, way)
    await clear()
    assert.deepEqual(await read(), CLEARED, way)
  }
  assert.equal(await apply({ signers: [{ name: 'clearable', ...NULLS }] }), 'nothing to do\n')
  for (const member of ['issuer', 'audience']) {
    const refused = await (await first).tryApply({ signers: [{ name: 'clearable', [member]: null }] })
    assert.equal(refused.exitCode, 2, refused.stdout)
    assert.match(refused.stderr, new RegExp(`signer clearable: ${member} cannot be empty`))
  }
  await ok('signers delete clearable --yes')
})

test('the plan shows old and new values, and no secrets', async () => {
  const { ok, apply, write, show } = await first
  await apply({
    signers: [{ ...SIGNER, tags: { team: 'a', kept: true } }],
    identities: [{ name: 'shown', roleAttributes: ['a'] }],
  })
  const jwksCaPem = makeTestAuthority().pem
  const next = {
    signers: [{ name: 'clearable', audience: 'b', jwksCaPem, tags: { team: 'b', kept: true }, clockSkewSeconds: 5 }],
    identities: [{ name: 'shown', roleAttributes: [], isAdmin: true, expiresAt: '2100-01-01T00:00:00+01:00' }],
  }
  const file = write(next)
  assert.equal(
    await ok(`apply --dry-run -q -f ${file}`),
    [
      '~ signer clearable',
      '    audience: "a" → "b"',
      '    jwksCaPem: changed',
      '    clockSkewSeconds: 0 → 5',
      '    tags.team: "a" → "b"',
      '~ identity shown',
      '    isAdmin: false → true (becomes an administrator)',
      '    roleAttributes: ["a"] → unset',
      '    expiresAt: unset → "2099-12-31T23:00:00.000Z"\n',
    ].join('\n'),
  )
  const [signer] = await show(`apply --dry-run -q -f ${file}`)
  assert.deepEqual([signer.action, signer.kind, signer.name], ['update', 'signer', 'clearable'])
  assert.deepEqual(signer.changes[0], { member: 'audience', before: 'a', after: 'b' })
  assert.deepEqual(signer.changes[1], { member: 'jwksCaPem', secret: true })
  assert.match(
    await ok(`apply --dry-run -q -f ${write({ identities: [{ name: 'new', isAdmin: true }] })}`),
    /^\+ identity new\n {4}isAdmin: true\n$/,
  )
  await ok('signers delete clearable --yes')
  await ok('identities delete shown --yes')
})

test('--prune deletes what the file does not contain, of its kinds, and never the caller, the default administrator and policy', async () => {
  const { ok, run, apply, tryApply, write, show } = await second
  const everything = parse(await ok('export -q'))
  // A policy and a signer that reference each other, and an identity of the policy.
  const more = {
    signers: [{ ...SIGNER, enrollAuthPolicyId: 'pruned' }],
    policies: [{ name: 'pruned', primary: { extJwt: { allowed: true, allowedSigners: ['clearable'] } } }],
    identities: [{ name: 'pruned', authPolicyId: 'pruned' }],
  }
  await apply(more)
  const { identities } = everything
  const kept = await run(`apply --prune --dry-run -f ${write({ identities: [] })}`)
  assert.match(kept.stderr, /kept: identity .+, (which is you|the default administrator)/)
  assert.equal(kept.stdout.match(/^- identity/gm)?.length, identities.length)
  assert.doesNotMatch(kept.stdout, /policy|signer/, 'kinds that the file does not name stay')

  const used = await tryApply({ policies: everything.policies }, ' --prune')
  assert.equal(used.exitCode, 6)
  assert.match(
    used.stderr,
    /the policy pruned is not in the file and cannot be deleted: the (identity|signer) \w+ references it/,
  )
  const asked = await run(`apply --prune -q -f ${write(everything)}`)
  assert.equal(asked.exitCode, 2, 'it asks, and there is no terminal')
  assert.match(asked.stdout, /^- identity pruned\n- policy pruned\n- signer clearable\n$/m)
  assert.equal((await show('identities show pruned')).name, 'pruned')
  assert.match(await apply(everything, ' --prune'), /done: 3 of 3/)
  assert.deepEqual(parse(await ok('export -q')), everything)
  assert.equal(await apply(everything, ' --prune'), 'nothing to do\n')
})

test('values that only one item can have move between items in one run', async () => {
  const { ok, apply, show } = await first
  const externalIdOf = async (name: string) => (await show(`identities show ${name}`)).externalId
  const people = (ids: Readonly<Record<string, string | null>>) => ({
    identities: Object.entries(ids).map(([name, externalId]) => ({ name, externalId })),
  })
  await apply(people({ move1: 'x', move2: 'y', move3: 'z' }))
  await apply(people({ move1: 'y', move2: 'z', move3: 'x' }))
  assert.deepEqual(await Promise.all(['move1', 'move2', 'move3'].map(externalIdOf)), ['y', 'z', 'x'])
  await apply(people({ move4: 'x', move3: null }))
  assert.deepEqual(await Promise.all(['move3', 'move4'].map(externalIdOf)), [null, 'x'])

  // Renamed: created under the new name, deleted under the old one.
  const state = parse(await ok('export identities -q'))
  const renamed = state.identities.map((each: { name: string }) =>
    each.name === 'move4' ? { ...each, name: 'moved' } : each,
  )
  assert.match(await apply({ identities: renamed }, ' --prune'), /done: 2 of 2/)
  assert.equal(await externalIdOf('moved'), 'x')

  const signers = (one: string, other: string) => ({
    signers: [one, other].map((audience, index) => ({ ...SIGNER, name: `exchange${index}`, audience })),
  })
  await apply(signers('one', 'other'))
  await apply(signers('other', 'one'))
  assert.equal((await show('signers show exchange0')).audience, 'other')
  assert.equal((await show('signers show exchange1')).audience, 'one')

  // A value of an item that keeps it is still refused.
  const taken = await (await first).tryApply(people({ move1: 'x' }))
  assert.equal(taken.exitCode, 6)
  assert.equal(await externalIdOf('move1'), 'y')
})

test('a signer and its policy that only fit together after both are changed are changed in one run', async () => {
  const { ok, apply, show } = await first
  const state = (allowed: boolean) => ({
    signers: [{ ...SIGNER, name: 'fitting', enrollAuthPolicyId: 'fitting', enrollToTokenEnabled: allowed }],
    policies: [{ name: 'fitting', primary: { extJwt: { allowed }, cert: { allowed: true } } }],
  })
  for (const allowed of [false, true, false]) {
    assert.match(await apply(state(allowed)), /done: 2 of 2/)
    assert.equal((await show('signers show fitting')).enrollToTokenEnabled, allowed)
    assert.equal((await show('policies show fitting')).primary.extJwt.allowed, allowed)
  }
  await ok('signers delete fitting --yes')
  await ok('policies delete fitting --yes')
})

test('an item named like the id of another is found, exported and applied by its name', async () => {
  const [one, two] = [await first, await second]
  await one.ok('policies create default --allow-cert')
  await one.ok('identities create crossed --policy name:default')
  const refused = await one.run('policies show default -o json')
  assert.equal(refused.exitCode, 2)
  assert.match(refused.stderr, /hint: write id:default or name:default\n/)
  assert.equal((await one.show('policies show id:default')).name, 'Default')
  const { id } = await one.show('policies show name:default')
  assert.equal((await one.show('identities show crossed')).authPolicyId, id)

  const { policies, identities } = parse(await one.ok('export -q'))
  const own = (items: { name: string }[], name: string) => items.filter((item) => item.name === name)
  const state = { policies: own(policies, 'default'), identities: own(identities, 'crossed') }
  assert.deepEqual(state.identities[0] && 'authPolicyId' in state.identities[0] && state.identities[0].authPolicyId, {
    name: 'default',
  })
  assert.equal(await one.apply(state), 'nothing to do\n')
  await two.apply(state)
  const applied = await two.show('identities show crossed')
  assert.equal(applied.authPolicyId, (await two.show('policies show name:default')).id)
  const ambiguous = await two.tryApply({ ...state, identities: [{ name: 'crossed', authPolicyId: 'default' }] })
  assert.equal(ambiguous.exitCode, 2)
  assert.match(ambiguous.stderr, /write \{ name: default \} or \{ id: default \}/)
})

test('a sink names the signers of its filter in files, and has their ids on the controller', async () => {
  const { ok, apply, show, tryApply } = await first
  const filtered = (name: string) => ({
    signers: [
      { name: 'filtered', issuer: 'https://filtered.example', audience: 'a', jwksEndpoint: 'https://f.example' },
    ],
    sinks: [{ name: 'filtered', kind: 'otlp', url: 'https://collector.example/v1/logs', filter: { signers: [name] } }],
  })
  await apply(filtered('filtered'))
  const { id } = await show('signers show filtered')
  assert.deepEqual((await show('sinks show filtered')).filter, { signers: [id] })
  const { sinks } = parse(await ok('export sinks -q'))
  assert.deepEqual(sinks.find(({ name }: { name: string }) => name === 'filtered').filter, { signers: ['filtered'] })
  const unknown = await tryApply(filtered('filterd'))
  assert.equal(unknown.exitCode, 5, unknown.stderr)
  assert.match(unknown.stderr, /filterd/)
})

test('one kind can be exported, by argument or by --kind', async () => {
  const { ok, run } = await first
  assert.deepEqual(Object.keys(parse(await ok('export signers -q'))), ['signers'])
  assert.deepEqual(Object.keys(parse(await ok('export --kind policies --kind cas -q'))), ['cas', 'policies'])
  assert.deepEqual(
    Object.keys(parse(await ok('export -q'))),
    KINDS.map(({ plural }) => plural),
  )
  const unknown = await run('export nothing')
  assert.equal(unknown.exitCode, 2)
  assert.match(unknown.stderr, /there is no kind "nothing" in files\nhint: kinds are cas, signers/)
})

test('a disabled identity stays disabled, and is enabled by a file that says so', async () => {
  const { ok, apply, show } = await first
  const person = { name: 'dormant', externalId: 'dormant@example.com' }
  await apply({ identities: [{ ...person, disabled: true }] })
  assert.deepEqual((({ disabled, externalId }) => [disabled, externalId])(await show('identities show dormant')), [
    true,
    person.externalId,
  ])
  assert.equal(await apply({ identities: [person] }), 'nothing to do\n', 'a file that does not say so leaves it')
  await apply({ identities: [{ ...person, disabled: false }] })
  assert.equal((await show('identities show dormant')).disabled, false)
  const until = new Date(Date.now() + 3_600_000).toISOString()
  await apply({ identities: [{ ...person, disabled: true, disabledUntil: until }] })
  assert.equal(await apply({ identities: [{ ...person, disabled: true, disabledUntil: until }] }), 'nothing to do\n')
  await apply({ identities: [{ ...person, disabled: true }] })
  assert.equal((await show('identities show dormant')).disabledUntil, undefined)
  await apply({ identities: [{ ...person, disabled: true, disabledUntil: '2020-01-01T00:00:00Z' }] })
  assert.equal((await show('identities show dormant')).disabled, false, 'the time is over')
  await ok('identities delete dormant --yes')
})

test('a secret of a file is sent when the controller has none, is never shown, and is not sent again', async () => {
  const { ok, run, apply, write } = await first
  const administration = { kind: 'keycloak', url: 'https://sso.example', realm: 'acme', clientId: 'admin' }
  const file = (more: object) => ({
    providers: [
      {
        ...{ name: 'sso', kind: 'oidc', issuer: 'https://sso.example/realms/acme', audience: 'a' },
        ...{ jwksUri: 'https://sso.example/keys', tokenUrl: 'https://sso.example/token' },
        administration: { ...administration, ...more },
      },
    ],
  })
  const secret = { clientSecret: 'not to be shown' }
  await apply(file({}))
  const planned = await run(`apply --dry-run -f ${write(file(secret))}`)
  assert.equal(planned.stdout, '~ provider sso\n    administration.clientSecret: changed\n')
  assert.match(await apply(file(secret)), /done: 1 of 1/)
  assert.equal(await apply(file(secret)), 'nothing to do\n')
  const changed = await apply(file({ ...secret, clientId: 'other' }))
  assert.match(changed, /administration\.clientId: "admin" → "other"\n {4}administration\.clientSecret: changed\n/)
  assert.doesNotMatch(changed + (await ok('export providers -q')), /not to be shown|SecretSet|secretsSet/)
  await ok('providers delete sso --yes')
})

test('D65 the credential of a key endpoint is sent when the controller has none or the endpoint changes, and removed by null', async () => {
  const { ok, run, apply } = await first
  const file = (endpoint: string, more: object) => ({
    signers: [
      {
        name: 'cluster',
        enabled: true,
        issuer: 'https://cluster.example',
        audience: 'a',
        jwksEndpoint: endpoint,
        ...more,
      },
    ],
  })
  const secret = { jwksAuthorization: 'Bearer not-to-be-shown' }
  const isSet = async () => JSON.parse(await ok('signers show cluster -o json -q')).jwksAuthorizationSet
  const [one, two] = ['https://cluster.example/one', 'https://cluster.example/two']
  const created = await apply(file(one, secret))
  assert.match(created, /jwksAuthorization: set\n/)
  assert.equal(await apply(file(one, secret)), 'nothing to do\n')
  assert.equal(await apply(file(one, {})), 'nothing to do\n')
  const moved = await apply(file(two, secret))
  assert.match(moved, /jwksAuthorization: changed\n/)
  assert.equal(await isSet(), true)
  const exported = await run('export signers')
  assert.match(exported.stderr, /the jwksAuthorization of signer cluster .*is not exported/)
  assert.doesNotMatch(created + moved + exported.stdout, /not-to-be-shown|jwksAuthorization: Bearer/)
  assert.match(await apply(file(two, { jwksAuthorization: null })), /jwksAuthorization: removed\n/)
  assert.equal(await isSet(), false)
  assert.equal(await apply(file(two, { jwksAuthorization: null })), 'nothing to do\n')
  await ok('signers delete cluster --yes')
})

test('an export leaves out what the caller cannot read at all, with a warning', async () => {
  const { ready, home, ok, write } = await first
  await ok(
    `identities create reader -f ${write({ permissions: ['identity.read', 'auth-policy.read', 'external-jwt-signer.read'] })} --enroll-username reader --enroll-file ${home}/reader.jwt`,
  )
  const env = { HOME: `${home}/reader` }
  const words = (line: string) => line.split(' ')
  const input = { readAll: async () => 'password of reader\n' }
  const enrolled = await runCaptured(words(`enroll ${home}/reader.jwt --password-stdin --ca-file ${ready.caFile}`), {
    env,
    input,
  })
  assert.equal(enrolled.exitCode, 0, enrolled.stderr)
  const logIn = words(`login ${ready.baseUrl} -u reader --password-stdin --ca-file ${ready.caFile}`)
  assert.equal((await runCaptured(logIn, { env, input })).exitCode, 0)
  const exported = await runCaptured(words('export -q'), { env })
  assert.equal(exported.exitCode, 0, exported.stderr)
  assert.deepEqual(Object.keys(parse(exported.stdout)), ['signers', 'policies', 'identities'])
  assert.match(
    exported.stderr,
    /^warning: cas are left out: .+\nwarning: sinks are left out: .+\nwarning: providers, networks, accounts are left out: .+\n$/,
  )
  assert.equal((await runCaptured(words('export cas -q'), { env })).exitCode, 4)
})
