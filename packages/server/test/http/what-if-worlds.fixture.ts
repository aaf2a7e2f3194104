/** Predictions compared with what happens, over generated configurations. */
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { settingsFile } from '../oidc/oidc.fixture.ts'
import { createPolicy, POLICIES } from './auth-policies.fixture.ts'
import { IDENTITIES } from './identities.fixture.ts'
import { ALICE, logInWithToken, SIGNERS, setUpProvider } from './provider.fixture.ts'

const WHAT_IF = '/edge/management/v1/what-if'
const BOB = 'bob@idp.example'

type Members = Readonly<Record<string, unknown>>

/** Numbers from 0 to 1 that follow from the seed. */
function createRandom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

interface Worlds {
  readonly count: number
  readonly seed: number
}

/**
 * Makes changes one after another. Before each, a login leaves its claims and the change is predicted; after it, the same claims log in again. Fails at the
 * first prediction that is wrong. Returns how often each was predicted.
 */
export async function compareWorlds(t: TestContext, { count, seed }: Worlds) {
  const set = await setUpProvider(t, {
    isAlone: 'controller',
    // Every prediction evaluates all sessions, too.
    settings: { config: settingsFile(t, 'whatIf:\n  keepClaims: [nonce]\nsession:\n  maxPerIdentity: 4\n') },
  })
  const { app, createSigner, createIdentity, token } = set
  const random = createRandom(seed)
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item
  const policy = await createPolicy(app, { extJwt: { allowed: true } })
  const signer = await createSigner({ enrollAttributeClaimsSelector: 'groups', requiredClaims: { hd: { glob: '*' } } })
  const alice = await createIdentity({ authPolicyId: policy })
  await createIdentity({ name: 'bob', externalId: BOB, authPolicyId: policy })

  const required = { requiredClaims: { hd: { glob: '*' } }, claimsProperty: 'sub', useExternalId: true, enabled: true }
  const rules = { acceptRule: null, maxTokenAgeSeconds: 3600, audience: 'overlay', additionalAudiences: ['other'] }
  const extJwt = { allowed: true, requireAcr: [], requireAmr: [], maxAuthAgeSeconds: null, allowedSigners: [] }
  const changes: readonly (() => { kind: string; id: string; path: string; body: Members })[] = [
    () => ({
      kind: 'ext-jwt-signer',
      id: signer,
      path: `${SIGNERS}/${signer}`,
      body: pick<Members>([
        { requiredClaims: { hd: pick(['a.example', { glob: '*.example' }, ['b.example', 'a.example']]) } },
        { requiredClaims: { department: pick(['x', 'y']) } },
        { claimsProperty: pick(['sub', '/email', 'nick']) },
        { audience: pick(['overlay', 'other']) },
        { additionalAudiences: pick([['third'], ['third', 'fourth'], []]) },
        {
          acceptRule: pick([
            'claims.hd == "a.example"',
            'size(claims.groups) > 1',
            '"dev" in claims.groups',
            'claims.team == "x"',
            null,
          ]),
        },
        { attributeRules: pick([['[claims.hd]'], ['claims.groups'], []]) },
        { attributeSync: pick(['login', 'enrollment']) },
        { maxTokenAgeSeconds: pick([60, 600, 3600]) },
        { clockSkewSeconds: pick([0, 60]) },
        { enabled: pick([true, true, false]) },
        { useExternalId: pick([true, true, false]) },
        ...Array.from({ length: 6 }, () => ({ ...required, ...rules })),
      ]),
    }),
    () => ({
      kind: 'auth-policy',
      id: policy,
      path: `${POLICIES}/${policy}`,
      body: pick<Members>([
        { primary: { extJwt: { allowed: pick([true, true, false]) } } },
        { primary: { extJwt: { requireAcr: pick([['gold'], ['gold', 'silver'], []]) } } },
        { primary: { extJwt: { requireAmr: pick([['pwd'], ['otp'], []]) } } },
        { primary: { extJwt: { maxAuthAgeSeconds: pick([60, 3600, null]) } } },
        { primary: { extJwt: { allowedSigners: pick([[signer], []]) } } },
        {
          acceptRule: pick([
            'claims.hd == "a.example" || "two" in identity.attributes',
            'signer.name == "idp" && size(claims.groups) > 0',
            '!has(claims.team)',
            'inCidr(request.address, "127.0.0.0/8")',
            null,
          ]),
        },
        ...[true, false].map((requireTotp) => ({ secondary: { requireTotp } })),
        ...Array.from({ length: 3 }, () => ({ primary: { extJwt }, acceptRule: null })),
      ]),
    }),
    () => ({
      kind: 'identity',
      id: alice,
      path: `${IDENTITIES}/${alice}`,
      body: pick<Members>([
        { externalId: pick([ALICE, 'nick', 'moved']) },
        { roleAttributes: pick([['one'], ['one', 'two'], []]) },
        { expiresAt: pick([null, '2100-01-01T00:00:00Z', '2020-01-01T00:00:00Z']) },
      ]),
    }),
  ]

  const reset = async () => {
    const replies = [
      await app.admin('PATCH', `${SIGNERS}/${signer}`, { ...required, ...rules }),
      await app.admin('PATCH', `${POLICIES}/${policy}`, { primary: { extJwt }, acceptRule: null }),
      await app.admin('PATCH', `${IDENTITIES}/${alice}`, { externalId: ALICE, expiresAt: null }),
    ]
    for (const { status, text } of replies) assert.equal(status, 200, text)
  }

  const attributesOf = async (): Promise<string[]> =>
    (await app.admin('GET', `${IDENTITIES}/${alice}`)).json.data.attributes
  const found = { refused: 0, accepted: 0, unchanged: 0, unknown: 0, attributes: 0, factors: 0 }
  for (let world = 0; world < count; world++) {
    const now = Math.floor(app.clock.now() / 1000)
    const claims = {
      sub: pick([ALICE, ALICE, BOB]),
      aud: pick(['overlay', 'overlay', 'other', ['overlay', 'third']]),
      email: ALICE,
      nick: 'nick',
      hd: pick(['a.example', 'b.example', 'elsewhere']),
      groups: pick([['dev'], ['dev', 'ops'], []]),
      acr: pick(['gold', 'silver']),
      amr: pick([['pwd'], ['pwd', 'otp']]),
      auth_time: now - pick([5, 500]),
      iat: now,
      exp: now + pick([30, 500, 3000]),
      nonce: `${seed} ${world}`,
      ...(random() < 0.5 && { department: 'x', team: 'x' }),
    }
    const sent = token(claims)
    const first = await logInWithToken(app, token({ ...claims, nonce: `first ${world}` }))
    // Otherwise few worlds would be left in which anything can be refused.
    if (first.status !== 200 && random() < 0.4) await reset()
    app.clock.advance(1_000)
    const since = app.clock.now()
    const { status: before, json } = await logInWithToken(app, sent)
    const identityId = json.data?.identityId
    const attributesBefore = await attributesOf()
    const { path, ...change } = pick(changes)()
    // Only the login before is evaluated.
    const asked = await app.admin('POST', WHAT_IF, { changes: [{ op: 'update', ...change }], limit: 1 })
    const saved = await app.admin('PATCH', path, change.body)
    assert.equal(asked.status, saved.status, `${asked.text} ${saved.text}`)
    if (saved.status !== 200) continue
    const { accepted, unknown, attributes, factors } = asked.json.data
    // Sessions of others can end, too.
    const isOwn = ({ identity }: { identity: { id: string } }) => identity.id === identityId
    const refused = asked.json.data.refused.filter(isOwn)
    // Of a token that no signer verified nothing is kept, and nothing predicted.
    const kept = await app.store.db.selectFrom('kept_logins').select('digest').where('at', '>=', since).execute()
    if (kept.length === 0) continue
    if (unknown.length > 0) {
      found.unknown++
      continue
    }
    const predicted = refused.length > 0 && accepted.length === 0 ? 401 : accepted.length > 0 ? 200 : before
    const context = JSON.stringify({ seed, world, before, claims, change, report: asked.json.data })
    const after = await logInWithToken(app, sent)
    assert.equal(after.status, predicted, context)
    // Sessions from earlier logins can lack a newer login at the identity provider.
    const needsCodes = (factor: Members) => (factor.missing as string[]).includes('totp-enrollment')
    if (factors.filter(isOwn).some(needsCodes) && after.status === 200) {
      found.factors++
      assert.notDeepEqual(after.json.data.authQueries, [], context)
      assert.deepEqual(json.data?.authQueries, [], context)
    }
    found[refused.length > 0 ? 'refused' : accepted.length > 0 ? 'accepted' : 'unchanged']++
    const [ofAlice] = attributes.filter(({ identity }: { identity: { id: string } }) => identity.id === alice)
    if (ofAlice && accepted.length === 0 && refused.length === 0) {
      found.attributes++
      const kept = attributesBefore.filter((attribute) => !ofAlice.removed.includes(attribute))
      assert.deepEqual(new Set(await attributesOf()), new Set([...kept, ...ofAlice.added]), context)
    }
  }
  return found
}
