import assert from 'node:assert/strict'
import { test } from 'node:test'
import { beginJob } from '../../src/operations/account-job/begin-job.ts'
import { settleJob } from '../../src/operations/account-job/settle-job.ts'
import { rotateApiAccount } from '../../src/operations/api-account/rotate-api-account.ts'
import { createSealing } from '../../src/platform/keys/sealing.ts'
import { type Reply, TEST_SEALING_KEY } from '../http/build-app.ts'
import { setUpHosted } from './hosted.fixture.ts'

const PROVIDERS = '/identity/v1/identity-providers'
const ACCOUNTS = '/identity/v1/api-account-identities'
const ORGANIZATIONS = '/identity/v1/organizations'

type Setup = Awaited<ReturnType<typeof setUp>>

/** An organization of its own, with an administrator's token, and another organization. */
async function setUp(t: Parameters<typeof setUpHosted>[0]) {
  const hosted = await setUpHosted(t)
  const { app, token, createOrganization, createProvider, createAccount } = hosted
  const make = async (label: string) => {
    const organizationId = await createOrganization(label)
    const providerId = await createProvider('cognito', { organizationId })
    await createAccount(providerId, `${label}-machine`, { organizationId })
    return { organizationId, providerId, bearer: token('cognito', `${label}-machine`) }
  }
  const [acme, other] = [await make('ACME'), await make('OTHER')]
  const send = (method: string, path: string, body?: unknown, ifMatch?: string, bearer = acme.bearer): Promise<Reply> =>
    app.call(method, path, body, {
      headers: { authorization: `Bearer ${bearer}`, ...(ifMatch !== undefined && { 'if-match': ifMatch }) },
    })
  return { ...hosted, acme, other, send }
}

interface Kind {
  /** Creates a record. Returns its path. */
  readonly make: (setup: Setup) => Promise<string>
  readonly patch: (value: string) => object
  readonly isDeletable?: false
}

let made = 0
const created = async ({ send, bodyOf }: Setup, collection: string, body: object) =>
  `${collection}/${bodyOf(await send('POST', collection, body)).id}`

/** The records of the hosted API that can be changed. */
const KINDS: Readonly<Record<string, Kind>> = {
  organization: {
    make: async ({ acme }) => `${ORGANIZATIONS}/${acme.organizationId}`,
    patch: (name) => ({ name }),
    isDeletable: false,
  },
  provider: {
    make: (setup) =>
      created(setup, PROVIDERS, {
        name: `provider ${made++}`,
        kind: 'oidc',
        issuer: 'https://idp.example',
        audience: 'hosted-api',
        jwksUri: 'https://idp.example/jwks',
        tokenUrl: 'https://idp.example/token',
      }),
    patch: (name) => ({ name }),
  },
  account: {
    make: (setup) => {
      const clientId = `client ${made++}`
      const proofToken = setup.token('cognito', clientId)
      return created(setup, ACCOUNTS, {
        name: clientId,
        identityProviderId: setup.acme.providerId,
        clientId,
        proofToken,
      })
    },
    patch: (description) => ({ description }),
  },
  'network v3': {
    make: (setup) => created(setup, '/core/v3/networks', { name: `network ${made++}` }),
    patch: (region) => ({ region }),
  },
  'network v2': {
    make: (setup) => created(setup, '/core/v2/networks', { name: `network ${made++}` }),
    patch: (region) => ({ region }),
  },
}

const versionIn = ({ headers, text }: Reply): string => headers.etag ?? assert.fail(`no etag: ${text}`)

test('N-12 every record of the hosted API is changed only in the version that If-Match names', async (t) => {
  const setup = await setUp(t)
  const { send } = setup
  for (const [kind, { make, patch, isDeletable }] of Object.entries(KINDS)) {
    const path = await make(setup)
    const seen = versionIn(await send('GET', path))
    assert.match(seen, /^"[0-9a-z]+"$/, kind)
    assert.equal(versionIn(await send('GET', path)), seen, 'reading changes nothing')
    const changed = await send('PATCH', path, patch('one'), seen)
    assert.equal(changed.status, 200, changed.text)
    const current = versionIn(changed)
    assert.notEqual(current, seen)
    assert.equal(versionIn(await send('GET', path)), current)
    const before = (await send('GET', path)).json
    const outdated = await send('PATCH', path, patch('two'), seen)
    assert.deepEqual([kind, outdated.status, outdated.json.status.label], [kind, 412, 'PRECONDITION_FAILED'])
    assert.equal((await send('PUT', path, before, seen)).status, 412, kind)
    if (isDeletable !== false) assert.equal((await send('DELETE', path, undefined, seen)).status, 412, kind)
    assert.deepEqual((await send('GET', path)).json, before, 'nothing has changed')
    const replaced = await send('PUT', path, before, current)
    assert.equal(replaced.status, 200, replaced.text)
    assert.equal(versionIn(await send('GET', path)), versionIn(replaced))
    assert.equal((await send('PATCH', path, patch('three'))).status, 200, 'without the header the last update wins')
    assert.equal((await send('PATCH', path, patch('four'), '*')).status, 200)
    assert.equal((await send('PATCH', path, patch('five'), `W/${current}`)).status, 412, 'a weak tag never matches')
    if (isDeletable === false) continue
    const last = versionIn(await send('GET', path))
    assert.equal((await send('DELETE', path, undefined, last)).status, 204)
  }
})

test('N-12 of many concurrent updates of one version of a hosted record exactly one succeeds', async (t) => {
  const setup = await setUp(t)
  const { send } = setup
  for (const [kind, { make, patch }] of Object.entries(KINDS)) {
    const path = await make(setup)
    const seen = versionIn(await send('GET', path))
    const replies = await Promise.all(
      Array.from({ length: 10 }, (_, by) => send('PATCH', path, patch(`by ${by}`), seen)),
    )
    const statuses = replies.map(({ status }) => status).toSorted()
    assert.deepEqual([kind, ...statuses], [kind, 200, ...Array.from({ length: 9 }, () => 412)])
  }
})

test('N-12 N-13 a version reveals no record of another organization: it is not found, with If-Match too', async (t) => {
  const setup = await setUp(t)
  const { send, other } = setup
  for (const [kind, { make, patch, isDeletable }] of Object.entries(KINDS)) {
    const path = await make(setup)
    const own = await send('GET', path)
    for (const ifMatch of ['"0"', '*', versionIn(own)]) {
      const foreign = (method: string, body?: unknown) => send(method, path, body, ifMatch, other.bearer)
      assert.deepEqual([kind, (await foreign('PATCH', patch('x'))).status], [kind, 404])
      assert.deepEqual([kind, (await foreign('PUT', own.json)).status], [kind, 404])
      if (isDeletable !== false) assert.deepEqual([kind, (await foreign('DELETE')).status], [kind, 404])
    }
    assert.deepEqual((await send('GET', path)).json, own.json)
    assert.equal((await send('PATCH', path, patch('x'), versionIn(own))).status, 200)
  }
})

test('N-12 a rotation changes the version of the account and is refused for an older one', async (t) => {
  const setup = await setUp(t)
  const { send, token } = setup
  const path = await KINDS.account?.make(setup)
  const seen = versionIn(await send('GET', path ?? ''))
  const rotate = (clientId: string, ifMatch: string) =>
    send('POST', `${path}/rotate`, { clientId, proofToken: token('cognito', clientId) }, ifMatch)
  const rotated = await rotate('next', seen)
  assert.deepEqual([rotated.status, rotated.json.clientId], [200, 'next'], rotated.text)
  assert.notEqual(versionIn(rotated), seen)
  assert.equal((await rotate('another', seen)).status, 412)
  assert.equal((await rotate('another', versionIn(rotated))).status, 200)
})

test('identities and network groups have a version too', async (t) => {
  const { app, send, acme, bodyOf } = await setUp(t)
  const [group] = bodyOf(await send('GET', '/core/v3/network-groups'), 200)._embedded.networkGroupList
  const self = await send('GET', '/identity/v1/identities/self')
  const paths = [
    `/core/v3/network-groups/${group.id}`,
    `/identity/v1/identities/${self.json.id}`,
    '/identity/v1/organization',
    `${ORGANIZATIONS}/${acme.organizationId}`,
  ]
  for (const path of paths) assert.match(versionIn(await send('GET', path)), /^"[0-9a-z]+"$/, path)
  assert.equal(versionIn(await send('GET', `${ACCOUNTS}/${self.json.id}`)), versionIn(self))
  assert.match(versionIn(await app.admin('GET', '/identity/v1/identities/self')), /^"[0-9a-z]+"$/)
})

test('N-12 a job is dismissed and repeated only in the version that If-Match names', async (t) => {
  const { app, send, acme, other } = await setUp(t)
  const system = () => ({ actorId: 'system', now: app.clock.now() })
  const { organizationId, providerId: identityProviderId } = acme
  const job = { id: 'job-1', organizationId, identityProviderId, accountId: 'x', accountName: 'nightly' }
  await app.store.run(beginJob, { ...job, kind: 'create', input: '{}' }, system())
  const path = `/identity/v1/account-jobs/${job.id}`
  const running = versionIn(await send('GET', path))
  const change = { state: 'failed', error: null, dueAt: app.clock.now() + 60_000 } as const
  // In the same millisecond.
  await app.store.run(settleJob, { id: job.id, attempts: 0, change }, system())
  const failed = versionIn(await send('GET', path))
  assert.notEqual(failed, running)
  assert.equal(versionIn(await send('GET', path)), failed, 'reading changes nothing')
  for (const [method, address] of [
    ['DELETE', path],
    ['POST', `${path}/repeat`],
  ] as const) {
    const outdated = await send(method, address, undefined, running)
    assert.deepEqual([outdated.status, outdated.json.status.label], [412, 'PRECONDITION_FAILED'], address)
    for (const ifMatch of ['"0"', '*', failed]) {
      assert.equal((await send(method, address, undefined, ifMatch, other.bearer)).status, 404)
    }
  }
  assert.notEqual((await send('POST', `${path}/repeat`, undefined, failed)).status, 412)
  const left = await send('GET', path)
  assert.equal(left.status, 200, left.text)
  assert.equal((await send('DELETE', path, undefined, versionIn(left))).status, 204)
  assert.equal((await send('GET', path)).status, 404)
})

test('N-12 credentials are picked up only in the version of the account that If-Match names', async (t) => {
  const setup = await setUp(t)
  const { app, send, acme } = setup
  const path = (await KINDS.account?.make(setup)) ?? assert.fail()
  const id = path.split('/').at(-1) ?? ''
  const old = versionIn(await send('GET', path))
  const sealedCredentials = createSealing(TEST_SEALING_KEY).seal('{}', `credentials ${id}`)
  const credential = { secretOf: '', replaced: [] }
  const rotation = { id, organizationId: acme.organizationId, credential, overlapMs: 60_000, sealedCredentials }
  await app.store.run(rotateApiAccount, rotation, { actorId: 'system', now: app.clock.now() })
  assert.equal((await send('POST', `${path}/pick-up`, undefined, old)).status, 412)
  assert.equal((await send('POST', `${path}/pick-up`, undefined, versionIn(await send('GET', path)))).status, 200)
})
