import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readJws, refuseWithoutSigner } from '@countersign/core'
import { mintKey, mintToken } from '@countersign/testkit'
import { FederatedTokens } from '../../src/hosted/federated-tokens.ts'
import type { DirectoryProvider } from '../../src/hosted/provider-directory.ts'
import { DECISIONS, storeDecisions } from '../http/provider.fixture.ts'
import { ACCOUNTS, CONDITIONS, GITHUB, GITHUB_KEYS, JOB, PROVIDERS, SELF, setUpFederated } from './federated.fixture.ts'

const NETWORKS = '/core/v3/networks'

test('Y-01 D66 a CI job calls the API with its own token, and no secret', async (t) => {
  const { app, createRecord, createFederated, jobToken, call, audience } = await setUpFederated(t)
  const provider = await createRecord()
  const id = await createFederated(provider)
  const self = await call('GET', SELF, jobToken())
  assert.deepEqual([self.status, self.json.id, self.json.kind], [200, id, 'federated'], self.text)
  assert.deepEqual([self.json.clientId, self.json.authenticationUrl, self.json.conditions], [null, null, CONDITIONS])
  const created = await call('POST', NETWORKS, jobToken(), { name: 'by a job' })
  assert.equal(created.status, 201, created.text)
  const { _embedded } = (await call('GET', NETWORKS, jobToken({ aud: ['sts.amazonaws.com', audience] }))).json
  const { id: networkId } = _embedded.networkList.find(({ name }: { name: string }) => name === 'local')
  const exchanged = await call('POST', `${NETWORKS}/${networkId}/exchange`, jobToken(), { type: 'session' })
  assert.equal(exchanged.status, 200, exchanged.text)
  const session = { session: exchanged.json.value }
  assert.equal((await app.call('GET', '/edge/management/v1/identities', undefined, session)).status, 200)
})

/** Each differs from the accepted job in one thing. */
const OTHER_JOBS: readonly [what: string, claims: Readonly<Record<string, unknown>>, named: RegExp][] = [
  ['branch', { ref: 'refs/heads/evil', sub: 'repo:acme/app:ref:refs/heads/evil' }, /ref is "refs\/heads\/evil"$/],
  ['repository', { repository: 'acme/other' }, /repository is "acme\/other"$/],
  ['owner', { repository: 'evil/app', repository_owner: 'evil' }, /repository is "evil\/app"$/],
  ['kind of ref', { ref: undefined }, /ref is missing$/],
  ['letter case', { repository: 'Acme/App' }, /repository is "Acme\/App"$/],
  ['type', { repository: { name: 'acme/app' } }, /repository is /],
]

test('Y-01 a job of another branch, repository or owner is refused with the condition that fails', async (t) => {
  const { app, createRecord, createFederated, jobToken, call } = await setUpFederated(t)
  const provider = await createRecord()
  const id = await createFederated(provider)
  for (const [what, claims, named] of OTHER_JOBS) {
    const reply = await call('GET', SELF, jobToken(claims))
    assert.equal(reply.status, 401, what)
    const [text] = reply.json.errors
    assert.match(text, /^the token meets the conditions of no API account: /)
    assert.match(text, named)
    assert.ok(
      !text.includes(CONDITIONS.ref) && !/acme\/app"/.test(text),
      'what the account requires is not in the response',
    )
    assert.match(
      reply.headers['www-authenticate'] ?? '',
      /error="invalid_token", error_description="the token [^"\\]+"$/,
    )
    await storeDecisions(app)
    const { data } = (await app.admin('GET', `${DECISIONS}/${reply.json.traceId}`)).json
    assert.deepEqual([data.reason, data.identity.id, data.signers[0].signerId], ['condition-unmet', id, provider])
    const failed = data.signers[0].checks.filter(({ pass }: { pass: boolean }) => !pass)
    assert.deepEqual([failed.length, failed[0].check], [1, 'requiredClaims'], what)
    assert.match(failed[0].expected, /^(repository is acme\/app|ref is refs\/heads\/main)$/)
    assert.match(data.hints[0], /the API account "ci" requires that (repository is acme\/app|ref is refs\/heads\/main)/)
  }
  assert.equal((await call('GET', SELF, jobToken())).status, 200)
})

test('Y-01 a token that is forged, expired or of another issuer is refused, and says no more', async (t) => {
  const { createRecord, createFederated, jobToken, call, key } = await setUpFederated(t)
  await createFederated(await createRecord())
  const forged = mintKey('P-256', key.kid)
  for (const bearer of [
    jobToken({}, forged),
    jobToken({ exp: 1 }),
    jobToken({ iss: 'https://other.example' }),
    jobToken({ cnf: { jkt: 'x' } }),
  ]) {
    const reply = await call('GET', SELF, bearer)
    assert.deepEqual([reply.status, reply.json.errors.join().includes('condition')], [401, false])
  }
  assert.equal((await call('GET', SELF, jobToken())).status, 200)
})

test('Y-02 D66 the audience selects the organization, before any condition is read', async (t) => {
  const { app, createOrganization, createRecord, createFederated, jobToken, call, audience } = await setUpFederated(t)
  const own = await createFederated(await createRecord())
  const organizationId = await createOrganization('OTHER')
  const provider = await createRecord({ organizationId })
  const broad = { repository_owner: 'acme' }
  const other = await createFederated(provider, { organizationId, conditions: broad, name: 'of another' })
  const otherAudience = audience.replace(/[^:]+$/, organizationId)
  assert.notEqual(otherAudience, audience)
  const idOf = async (aud: unknown) => (await call('GET', SELF, jobToken({ aud }))).json.id
  assert.deepEqual([await idOf(audience), await idOf([otherAudience, 'x'])], [own, other])
  const shown = (await call('GET', '/identity/v1/organization', jobToken({ aud: otherAudience }))).json
  assert.equal(shown.audience, otherAudience)
  const nowhere = audience.replace(/[^:]+$/, '11111111-2222-3333-4444-555555555555')
  for (const aud of [undefined, 'sts.amazonaws.com', [audience, otherAudience], nowhere, `${audience}x`]) {
    assert.equal((await call('GET', SELF, jobToken({ aud }))).status, 401, String(aud))
  }
  assert.equal((await app.admin('GET', '/identity/v1/organization')).json.audience, audience)
})

test('Y-02 no record has the audience of another organization, and a client account takes no token for one', async (t) => {
  const { app, createOrganization, createRecord, createFederated, jobToken, call, audience, key } =
    await setUpFederated(t)
  const organizationId = await createOrganization('OTHER')
  const record = { name: 'p', kind: 'oidc', issuer: GITHUB, jwksUri: GITHUB_KEYS, tokenUrl: GITHUB, organizationId }
  const theft = await app.admin('POST', PROVIDERS, { ...record, audience })
  assert.deepEqual([theft.status, theft.json.field], [400, 'audience'])
  const provider = await createRecord({ organizationId, audience: 'https://mine.example' })
  const patched = await app.admin('PATCH', `${PROVIDERS}/${provider}`, { audience })
  assert.equal(patched.status, 404, 'the record of another organization')
  const body = { name: 'thief', identityProviderId: provider, clientId: 'machine', organizationId, role: 'admin' }
  assert.equal((await app.admin('POST', ACCOUNTS, body)).status, 201)
  await createFederated(await createRecord())
  const both = { aud: [audience, 'https://mine.example'], azp: 'machine', sub: 'machine' }
  const victim = await call('GET', SELF, jobToken(both))
  assert.deepEqual([victim.status, victim.json.name], [200, 'ci'])
  const now = Math.floor(app.clock.now() / 1000)
  const claims = { iss: GITHUB, iat: now, exp: now + 300, ...both, aud: 'https://mine.example' }
  const own = await call('GET', SELF, mintToken({ key, alg: 'ES256', claims }))
  assert.deepEqual([own.status, own.json.name], [200, 'thief'])
})

test('Y-02 the client account that a token names wins over federated accounts of the same organization', async (t) => {
  const { createRecord, createFederated, createAccount, jobToken, call } = await setUpFederated(t)
  const provider = await createRecord()
  assert.equal((await call('GET', `${PROVIDERS}/${provider}`, undefined)).status, 401)
  await createFederated(provider)
  await createAccount(provider, 'machine-1', { name: 'client' })
  assert.equal((await call('GET', SELF, jobToken())).json.name, 'ci')
  const named = await call('GET', SELF, jobToken({ azp: 'machine-1', sub: 'machine-1' }))
  assert.deepEqual([named.status, named.json.name], [200, 'client'])
})

test('D41 D66 a record without an audience has that of its organization; a blank or foreign one is refused', async (t) => {
  const { app, createRecord, audience } = await setUpFederated(t)
  const id = await createRecord()
  assert.equal((await app.admin('GET', `${PROVIDERS}/${id}`)).json.audience, audience)
  const body = { name: 'p', kind: 'oidc', issuer: GITHUB, jwksUri: GITHUB_KEYS, tokenUrl: GITHUB }
  for (const members of [{ audience: '' }, { audience: `${audience}0` }, { kind: 'auth0' }]) {
    const reply = await app.admin('POST', PROVIDERS, { ...body, ...members })
    assert.deepEqual([reply.status, reply.json.field], [400, 'audience'])
  }
  assert.equal((await app.admin('POST', PROVIDERS, { ...body, audience })).status, 201)
})

test('Y-03 conditions that others at the issuer would meet are 400 unless confirmed', async (t) => {
  const { app, createRecord, postAccount } = await setUpFederated(t)
  const provider = await createRecord()
  const broad = [
    { sub: { glob: '*' } },
    { sub: { glob: 'repo:*' } },
    { iss: GITHUB },
    { environment: 'production' },
    { repository: { glob: '*/app' } },
  ]
  for (const [at, conditions] of broad.entries()) {
    const reply = await postAccount(provider, { conditions, name: `broad ${at}` })
    assert.deepEqual([reply.status, reply.json.field], [400, 'conditions'], reply.text)
    assert.match(reply.json.errors[0], /confirmBroad=true/)
    const confirmed = await postAccount(provider, { conditions, name: `broad ${at}` }, '?confirmBroad=true')
    assert.equal(confirmed.status, 201, confirmed.text)
  }
  const id = (await postAccount(provider)).json.id
  const path = `${ACCOUNTS}/${id}`
  const [conditions] = broad
  assert.equal((await app.admin('PATCH', path, { conditions })).status, 400)
  assert.equal((await app.admin('PATCH', `${path}?confirmBroad=true`, { conditions })).status, 200)
  assert.equal((await app.admin('PATCH', path, { conditions, description: 'unchanged' })).status, 200)
  const read = (await app.admin('GET', path)).json
  const sent = await app.admin('PUT', path, read)
  assert.deepEqual([sent.status, sent.json.conditions], [200, conditions], sent.text)
})

test('Y-03 a federated account needs valid conditions, has no client, and cannot be rotated', async (t) => {
  const { app, createRecord, postAccount, createAccount } = await setUpFederated(t)
  const provider = await createRecord()
  for (const [members, field] of [
    [{ conditions: undefined }, 'conditions'],
    [{ conditions: null }, 'conditions'],
    [{ conditions: {} }, 'conditions'],
    [{ conditions: { '/~': 'x' } }, 'conditions'],
    [{ conditions: { repository: { glob: 7 } } }, 'conditions'],
    [{ conditions: { repository: { regex: '.*' } } }, 'conditions'],
    [{ kind: 'other' }, 'kind'],
    [{ clientId: 'x' }, 'clientId'],
    [{ kind: 'client', clientId: 'x' }, 'conditions'],
    [{ expiresAt: 'tomorrow' }, 'expiresAt'],
  ] as const) {
    const reply = await postAccount(provider, members)
    assert.deepEqual([reply.status, reply.json.field], [400, field], reply.text)
  }
  const { id } = (await postAccount(provider)).json
  assert.equal((await app.admin('POST', `${ACCOUNTS}/${id}/rotate`)).status, 400)
  for (const conditions of [null, {}]) {
    assert.equal((await app.admin('PATCH', `${ACCOUNTS}/${id}`, { conditions })).status, 400)
  }
  const kept = await app.admin('PUT', `${ACCOUNTS}/${id}`, { name: 'renamed' })
  assert.deepEqual([kept.status, kept.json.conditions, kept.json.role], [200, CONDITIONS, 'read-only'])
  const client = await createAccount(provider, 'machine-1')
  const other = await app.admin('PATCH', `${ACCOUNTS}/${client}`, { conditions: CONDITIONS })
  assert.deepEqual([other.status, other.json.field], [400, 'conditions'])
  assert.equal((await app.admin('GET', `${ACCOUNTS}/${client}`)).json.kind, 'client')
})

test('F-14 the patterns of an organization have a bounded length together', async (t) => {
  const { app, createOrganization, createRecord, postAccount } = await setUpFederated(t)
  const provider = await createRecord()
  const long = { 'a"b': { glob: `é${'?'.repeat(511)}` }, c: { glob: `x${'?'.repeat(511)}` } }
  const post = (name: string, conditions: object) => postAccount(provider, { name, conditions })
  const ids: string[] = []
  for (let nth = 0; nth < 63; nth++) {
    const { status, json, text } = await post(`full ${nth}`, long)
    assert.equal(status, 201, text)
    ids.push(json.id)
  }
  const tooLong = await post('too long', { ...long, d: { glob: 'x' } })
  assert.deepEqual([tooLong.status, tooLong.json.field], [400, 'conditions'])
  const fits = await post('fits', { ...long, d: 'x' })
  assert.equal(fits.status, 201, fits.text)
  const exact = await post('exact', { repository: Array.from({ length: 60 }, (_, nth) => `acme/${nth}`) })
  assert.equal(exact.status, 201, exact.text)

  const patch = (id: string, body: object) => app.admin('PATCH', `${ACCOUNTS}/${id}?confirmBroad=true`, body)
  const grown = await patch(exact.json.id, { conditions: { repository: { glob: 'acme/*' } } })
  assert.deepEqual([grown.status, grown.json.field], [400, 'conditions'])
  const [first = ''] = ids
  assert.equal((await patch(first, { description: 'same patterns' })).status, 200)
  assert.equal((await patch(first, { conditions: { a: { glob: 'x*' } } })).status, 200)
  assert.equal((await patch(exact.json.id, { conditions: { repository: { glob: 'acme/*' } } })).status, 200)

  const organizationId = await createOrganization('OTHER')
  const other = await createRecord({ organizationId })
  const elsewhere = await postAccount(other, { name: 'other', conditions: long, organizationId })
  assert.equal(elsewhere.status, 201, elsewhere.text)
})

test('Y-04 of several matching accounts the most specific acts; without one the token is refused by name', async (t) => {
  const { app, createRecord, createFederated, jobToken, call } = await setUpFederated(t)
  const provider = await createRecord()
  await createFederated(provider, { name: 'any branch', conditions: { repository: 'acme/app' } })
  const specific = await createFederated(provider, { name: 'main only' })
  assert.equal((await call('GET', SELF, jobToken())).json.name, 'main only')
  assert.equal((await call('GET', SELF, jobToken({ ref: 'refs/heads/x' }))).json.name, 'any branch')
  assert.equal((await app.admin('PATCH', `${ACCOUNTS}/${specific}`, { active: false })).status, 200)
  assert.equal((await call('GET', SELF, jobToken())).status, 401, 'a disabled account keeps its place')
  assert.equal((await app.admin('PATCH', `${ACCOUNTS}/${specific}`, { active: true })).status, 200)
  await createFederated(provider, { name: 'deploys', conditions: { repository: 'acme/app', workflow: 'deploy' } })
  const refused = await call('GET', SELF, jobToken())
  assert.equal(refused.status, 401)
  assert.equal(
    refused.json.errors[0],
    'the token meets the conditions of several API accounts: "any branch", "deploys", "main only"',
  )
  await storeDecisions(app)
  const { data } = (await app.admin('GET', `${DECISIONS}/${refused.json.traceId}`)).json
  assert.equal(data.reason, 'account-ambiguous')
  assert.match(data.hints[0], /"deploys", "main only"/)
  assert.equal((await call('GET', SELF, jobToken({ workflow: 'test' }))).json.name, 'main only')
})

test('Y-04 a disabled account, or one of a disabled record, leaves its jobs to no account of another record', async (t) => {
  const { app, createRecord, createFederated, jobToken, call } = await setUpFederated(t)
  const [first, second] = [await createRecord(), await createRecord({ name: 'GitHub again' })]
  const specific = await createFederated(first, {
    name: 'main only',
    role: 'read-only',
    conditions: { repository_owner: 'acme', ref: 'refs/heads/main' },
  })
  await createFederated(second, { name: 'all of acme', conditions: { repository_owner: 'acme' } })
  const acts = async (claims = {}) => (await call('GET', SELF, jobToken(claims))).json?.name
  const branch = { ref: 'refs/heads/x' }
  assert.deepEqual([await acts(), await acts(branch)], ['main only', 'all of acme'])
  for (const [path, member] of [
    [`${ACCOUNTS}/${specific}`, 'active'],
    [`${PROVIDERS}/${first}`, 'enabled'],
  ] as const) {
    assert.equal((await app.admin('PATCH', path, { [member]: false })).status, 200)
    assert.equal((await call('GET', SELF, jobToken())).status, 401, path)
    assert.equal(await acts(branch), 'all of acme', path)
    assert.equal((await app.admin('PATCH', path, { [member]: true })).status, 200)
    assert.equal(await acts(), 'main only', path)
  }
  await createFederated(second, { name: 'deploys', conditions: { repository_owner: 'acme', workflow: 'deploy' } })
  const refused = await call('GET', SELF, jobToken())
  assert.equal(refused.status, 401, 'the age of a record decides nothing')
  assert.match(refused.json.errors[0], /several API accounts: "all of acme", "deploys", "main only"/)
})

test('D57 D66 tokens of GitLab, Kubernetes and clouds work in the same way', async (t) => {
  const { app, createRecord, createFederated, call, audience, key } = await setUpFederated(t)
  const rows = [
    {
      issuer: 'https://gitlab.example',
      conditions: { project_path: 'acme/app', ref_protected: 'true' },
      claims: {
        sub: 'project_path:acme/app:ref_type:branch:ref:main',
        project_path: 'acme/app',
        ref_protected: 'true',
      },
      wrong: { project_path: 'acme/other' },
    },
    {
      issuer: 'https://k8s.example',
      conditions: { sub: 'system:serviceaccount:ci:deployer', '/kubernetes.io/namespace': 'ci' },
      claims: { sub: 'system:serviceaccount:ci:deployer', 'kubernetes.io': { namespace: 'ci' } },
      wrong: { sub: 'system:serviceaccount:dev:deployer' },
    },
    {
      issuer: 'https://accounts.google.com',
      conditions: { email: { glob: 'deploy-*@acme.iam.gserviceaccount.com' } },
      claims: { sub: '1', email: 'deploy-1@acme.iam.gserviceaccount.com', email_verified: true },
      wrong: { email: 'deploy-1@evil.iam.gserviceaccount.com' },
    },
  ]
  for (const { issuer, conditions, claims, wrong } of rows) {
    const provider = await createRecord({ name: issuer, issuer, jwksUri: `${issuer}/keys` })
    await createFederated(provider, { name: issuer, conditions, role: undefined })
    const now = Math.floor(app.clock.now() / 1000)
    const token = (members: object) =>
      mintToken({ key, alg: 'ES256', claims: { iss: issuer, aud: [audience], iat: now, exp: now + 600, ...members } })
    const self = await call('GET', SELF, token(claims))
    assert.deepEqual([self.status, self.json.name, self.json.role], [200, issuer, 'read-only'], self.text)
    assert.equal((await call('GET', SELF, token({ ...claims, ...wrong }))).status, 401, issuer)
    assert.equal((await call('POST', NETWORKS, token(claims), { name: 'x' })).status, 403, 'the least role')
  }
  assert.equal(JOB.repository, CONDITIONS.repository)
})

test('Y-01 only a job that meets the conditions of one account learns why its organization is suspended', async (t) => {
  const { app, createOrganization, createRecord, createFederated, jobToken, call, audience } = await setUpFederated(t)
  const organizationId = await createOrganization('ACME')
  const provider = await createRecord({ organizationId })
  await createFederated(provider, { organizationId })
  const both = { workflow: 'nightly', event_name: 'schedule' }
  const aud = audience.replace(/[^:]+$/, organizationId)
  for (const [name, value] of Object.entries(both)) {
    const conditions = { repository_owner: 'acme', [name]: value }
    const body = { name, identityProviderId: provider, kind: 'federated', conditions }
    assert.equal((await call('POST', ACCOUNTS, jobToken({ aud }), body)).status, 201)
  }
  const suspend = `/identity/v1/operator/organizations/${organizationId}/suspend`
  assert.equal((await app.admin('POST', suspend, { reason: 'case 4711' })).status, 200)
  const stranger = await call('GET', SELF, jobToken({ aud, repository: 'evil/app' }))
  const ambiguous = await call('GET', SELF, jobToken({ aud, repository: 'acme/other', ...both }))
  for (const [{ status, text, headers }, shown] of [
    [stranger, /repository is \\"evil\/app/],
    [ambiguous, /of several API accounts/],
  ] as const) {
    assert.equal(status, 401)
    assert.match(text, shown)
    assert.doesNotMatch(text + headers['www-authenticate'], /4711|suspended/)
  }
  const own = await call('GET', SELF, jobToken({ aud }))
  assert.deepEqual([own.status, own.text.includes('case 4711')], [401, true])
})

test('Y-02 an audience that names no organization of the issuer is refused before anything is read', async (t) => {
  const { createOrganization, createRecord, createFederated, jobToken, call, audience } = await setUpFederated(t)
  await createFederated(await createRecord())
  // PostgreSQL stores no NUL: a query with one fails.
  for (const named of ['\u0000', 'x'.repeat(5_000), '', await createOrganization('OTHER')]) {
    const aud = audience.replace(/[^:]+$/, named)
    assert.equal((await call('GET', SELF, jobToken({ aud }))).status, 401, named)
  }
  assert.equal((await call('GET', SELF, jobToken())).status, 200)

  const reads: string[] = []
  const federatedOf = async (organizationId: string) => {
    reads.push(organizationId)
    return { reading: 1, byId: new Map() }
  }
  const reading = readJws(jobToken())
  assert.ok(reading.ok)
  const verifier = { verifyWith: async () => refuseWithoutSigner(reading.jws, true), stillAccepts: () => true }
  const tokens = new FederatedTokens({ accounts: { federatedOf }, verifier, clock: Date })
  const issuer = { issuer: GITHUB, clientIds: [], fallback: undefined, soleOrganizationId: undefined }
  const enabled = { stored: { id: 'record', enabled: true } } as Partial<DirectoryProvider>
  const trusted = { ...issuer, byOrganization: new Map([['known', [enabled as DirectoryProvider]]]) }
  for (const named of ['invented', 'known']) {
    const verdict = await tokens.verify(reading.jws, trusted, named, { address: '127.0.0.1' })
    assert.equal(verdict.ok, false)
  }
  assert.deepEqual(reads, ['known'])
})

test('F-05 a token is verified again when its key is withdrawn or it expires while an account is chosen for it', async (t) => {
  const { jobToken } = await setUpFederated(t)
  const reading = readJws(jobToken())
  assert.ok(reading.ok)
  const { jws } = reading
  const stored = { id: 'record', enabled: true, requiredScope: null, revision: 1 }
  const record = { stored } as Partial<DirectoryProvider> as DirectoryProvider
  const account = {
    id: 'a',
    identityProviderId: 'record',
    isActive: true,
    expiresAt: null,
    revision: 1,
    conditions: [],
    conditionKeys: new Set(),
  }
  const federatedOf = async () => ({ reading: 1, byId: new Map([['a', account as never]]) })
  const issuer = { issuer: GITHUB, clientIds: [], fallback: undefined, soleOrganizationId: undefined }
  const trusted = { ...issuer, byOrganization: new Map([['acme', [record]]]) }
  for (const stands of [true, false]) {
    const accepted = { accepted: true, token: { claims: jws.untrustedClaims } } as never
    const verdicts = [accepted, refuseWithoutSigner(jws, true)]
    const verifier = { verifyWith: async () => verdicts.shift() as never, stillAccepts: () => stands }
    const tokens = new FederatedTokens({ accounts: { federatedOf }, verifier, clock: Date })
    const { ok } = await tokens.verify(jws, trusted, 'acme', { address: '127.0.0.1' })
    assert.equal(ok, stands)
  }
})
