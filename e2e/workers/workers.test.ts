import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  createControllerStage,
  type JwksServer,
  mintKey,
  mintToken,
  type ReadyController,
  startJwksServer,
} from '@countersign/testkit'
import { buildSignerBody, SIGNERS } from '../start/signer-body.ts'
import { openEvents } from './read-events.ts'
import {
  IDENTITIES,
  LOGIN,
  MANAGEMENT,
  makePerson,
  type OneConnection,
  OWN_SESSION,
  openConnections,
  until,
  workersOf,
} from './worker-clients.ts'

const WORKERS = 2
/** Stops the load of a failed test. */
const LOAD_LIMIT_MS = 60_000
const TOKEN_LOGIN = '/edge/client/v1/authenticate?method=ext-jwt'
/** Refused logins per address, for the whole node. */
const ADDRESS_BURST = 60
const ENV = {
  COUNTERSIGN_LIMITS_ADDRESS_BURST: String(ADDRESS_BURST),
  COUNTERSIGN_LIMITS_ADDRESS_PER_SECOND: '1',
  COUNTERSIGN_JWKS_ALLOW_HTTP: '127.0.0.1',
  COUNTERSIGN_JWKS_ALLOW_LOOPBACK: 'true',
}

// One controller for all tests, because starting several processes is the slowest part.
describe('a controller of several workers', { timeout: 240_000 }, () => {
  const hooks: (() => Promise<void>)[] = []
  let controller: ReadyController
  let admin: string
  let clients: OneConnection[] = []
  let provider: JwksServer

  before(async () => {
    provider = await startJwksServer()
    const stage = createControllerStage({ after: (hook) => void hooks.push(hook) })
    controller = await stage.start({ args: ['--workers', String(WORKERS)], env: ENV })
    admin = await controller.logIn()
    // Distributed round-robin: each worker has several.
    clients = openConnections(controller, 2 * WORKERS)
  })
  after(async () => {
    for (const client of clients) client.close()
    for (const hook of hooks) await hook()
    await provider.close()
  })
  const client = (index: number): OneConnection => clients[index % clients.length] ?? assert.fail()
  const statusOnEach = (session: string) =>
    Promise.all(
      clients.map((connection) =>
        connection.request('GET', OWN_SESSION, { session }).then(
          ({ status }) => status,
          () => 'closed',
        ),
      ),
    )
  const all = (status: number) => clients.map(() => status)

  it('D13 I-04 a session of one worker is valid on all, and after a disable or delete on one the next request on any is refused', async () => {
    assert.equal(workersOf(controller).length, WORKERS)
    for (const round of [0, 1]) {
      const { id, credentials } = await makePerson(controller, admin, { name: `person ${round}` })
      const opened = await client(0).request('POST', LOGIN, { body: credentials })
      assert.equal(opened.status, 200, opened.text)
      const session = String(opened.headers['zt-session'])
      // Used on each worker, so that each caches it.
      assert.deepEqual(await statusOnEach(session), all(200))
      const ended =
        round === 0
          ? await client(1).request('POST', `${IDENTITIES}/${id}/disable`, {
              session: admin,
              body: { durationMinutes: 0 },
            })
          : await client(0).request('DELETE', `${IDENTITIES}/${id}`, { session: admin })
      assert.equal(ended.status, 200, ended.text)
      assert.deepEqual(await statusOnEach(session), all(401))
    }
  })

  it('W-43 F-06 the keys of a signer are fetched once for all workers, and unknown kids cause one more fetch', async () => {
    const key = mintKey('P-256')
    const other = mintKey('P-256', 'another')
    provider.publish(key)
    const body = { ...buildSignerBody('once'), jwksEndpoint: provider.url(), useExternalId: true }
    assert.equal((await client(0).request('POST', SIGNERS, { session: admin, body })).status, 201)
    const members = { name: 'by-token', externalId: 'alice', type: 'User', isAdmin: false }
    assert.equal((await client(1).request('POST', IDENTITIES, { session: admin, body: members })).status, 201)
    const now = Math.floor(Date.now() / 1000)
    const claims = { iss: body.issuer, aud: body.audience, sub: 'alice', iat: now, exp: now + 600 }
    const logIn = async (index: number, signingKey = key) => {
      const headers = { authorization: `Bearer ${mintToken({ key: signingKey, claims })}` }
      return (await client(index).request('POST', TOKEN_LOGIN, { headers })).status
    }
    assert.deepEqual(await Promise.all(clients.map((_, index) => logIn(index))), all(200))
    assert.equal(provider.hits, 1)
    // A fetch within the last second also counts for an unknown kid.
    await sleep(1_100)
    for (let round = 0; round < 3; round++) {
      assert.deepEqual(await Promise.all(clients.map((_, index) => logIn(index, other))), all(401))
    }
    assert.equal(provider.hits, 2)
  })

  it('R-05 wrong passwords are counted for the node, across workers', async () => {
    const defaultPolicy = await client(0).request('GET', `${MANAGEMENT}/auth-policies/default`, { session: admin })
    const { name, primary, secondary } = defaultPolicy.json.data
    const updb = { ...primary.updb, maxAttempts: 2, lockoutDurationMinutes: 5 }
    const body = { name: `${name} with lock-out`, primary: { ...primary, updb }, secondary }
    const policy = await client(0).request('POST', `${MANAGEMENT}/auth-policies`, { session: admin, body })
    assert.equal(policy.status, 201, policy.text)
    const { credentials } = await makePerson(controller, admin, { name: 'guessed', authPolicyId: policy.json.data.id })
    const logIn = async (index: number, password = credentials.password) =>
      (await client(index).request('POST', LOGIN, { body: { ...credentials, password } })).status
    assert.equal(await logIn(0), 200)
    assert.equal(await logIn(0, 'wrong'), 401)
    assert.equal(await logIn(1, 'wrong too'), 401)
    for (const index of [0, 1]) assert.equal(await logIn(index), 401, 'the right password during the lockout')
  })

  it('an event stream has the events of every worker, in one order that can be resumed on any', async (t) => {
    const stream = await openEvents(t, controller, admin)
    for (const index of clients.keys()) {
      const body = buildSignerBody(`event-${index}`)
      assert.equal((await client(index).request('POST', SIGNERS, { session: admin, body })).status, 201)
    }
    const names = () => stream.events().map(({ data }) => data.finalState?.name)
    await until(
      () => [...clients.keys()].every((index) => names().includes(`event-${index}`)),
      'the events of all workers',
    )
    // The stream contains every change made after the response to its request.
    assert.deepEqual(
      names().filter((name) => name?.startsWith('event-')),
      [...clients.keys()].map((index) => `event-${index}`),
    )
    const [first] = stream.events()
    assert.ok(first?.id)
    const expected = stream.events().slice(1, 3)
    for (let reader = 0; reader < WORKERS; reader++) {
      const resumed = await openEvents(t, controller, admin, first.id)
      await until(() => resumed.events().length >= 2, 'the events before')
      assert.deepEqual(resumed.events().slice(0, 2), expected)
    }
  })

  it('a killed worker loses only its own connections, and is replaced', async () => {
    assert.deepEqual(await statusOnEach(admin), all(200))
    const [killed = 0] = workersOf(controller)
    process.kill(killed, 'SIGKILL')
    const seen = await statusOnEach(admin)
    const lost = seen.filter((status) => status !== 200).length
    assert.ok(lost <= clients.length / WORKERS, `${lost} of ${clients.length} connections were lost`)
    await until(() => !workersOf(controller).includes(killed), 'the end of the killed worker')
    assert.deepEqual(await statusOnEach(admin), all(200), 'new requests succeed')
    await until(() => controller.stderr().includes('a worker has started'), 'another worker')
    assert.equal(workersOf(controller).length, WORKERS)
  })

  it('SIGHUP replaces every worker under load, no request fails, and counters keep their values', async () => {
    const counted = async () => {
      const text = await (await fetch(controller.ready.metricsUrl)).text()
      return Number(/countersign_sign_ins_total\{method="ext-jwt".*success"\} (\d+)/.exec(text)?.[1])
    }
    await until(async () => (await counted()) > 0, 'the logins in the metrics')
    const countedBefore = await counted()
    const oldWorkers = workersOf(controller)
    const load = startLoad(controller, admin)
    await until(() => load.responses() > 20, 'the load')
    controller.child.kill('SIGHUP')
    await until(() => workersOf(controller).every((pid) => !oldWorkers.includes(pid)), 'other workers')
    const restartedAt = load.responses()
    await until(() => load.responses() > restartedAt + 20, 'more responses')
    assert.deepEqual(await load.stop(), [])
    assert.equal(workersOf(controller).length, WORKERS)
    assert.ok((await counted()) >= countedBefore)
  })

  it('limits hold for the node, not for each worker', async () => {
    const headers = { authorization: 'Bearer garbage' }
    const seen: number[] = []
    while (seen.length < 2 * ADDRESS_BURST) {
      const responses = await Promise.all(
        clients.map((connection) => connection.request('POST', TOKEN_LOGIN, { headers })),
      )
      seen.push(...responses.map(({ status }) => status))
      await sleep(60)
    }
    const refused = seen.filter((status) => status === 401).length
    // Allows for the delay between workers, and for tokens refilled since the start.
    assert.ok(refused < 1.4 * ADDRESS_BURST, `${refused} attempts of ${seen.length} were processed`)
    assert.ok(seen.includes(429))
    assert.deepEqual(await statusOnEach(admin), all(200), 'existing sessions are not affected')
  })

  it('SIGTERM stops all workers gracefully and leaves no process behind', async () => {
    const workers = workersOf(controller)
    const load = startLoad(controller, admin)
    await until(() => load.responses() > 20, 'the load')
    assert.deepEqual(await controller.stop(), { code: 0, signal: null }, controller.stderr())
    const failed = await load.stop()
    assert.ok(
      failed.every((failure) => failure.startsWith('no response')),
      failed.join(),
    )
    for (const pid of workers) assert.throws(() => process.kill(pid, 0), /ESRCH/)
  })
})

it('workers exit when their supervisor is killed, and the next start has all data', async (t) => {
  const stage = createControllerStage(t)
  const controller = await stage.start({ args: ['--workers', '2'] })
  const session = await controller.logIn()
  const body = buildSignerBody('kept')
  assert.equal((await controller.request('POST', SIGNERS, { session, body })).status, 201)
  const workers = workersOf(controller)
  await controller.kill9()
  await until(() => workers.every((pid) => !isRunning(pid)), 'the end of the workers')
  const again = await stage.start({ args: ['--workers', '2'] })
  const found = await again.request('GET', SIGNERS, { session })
  assert.deepEqual(
    found.json.data.map(({ name }: { name: string }) => name),
    ['kept'],
  )
})

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** Runs clients that read and write continuously, each on its own connection. `stop` returns the failures. */
function startLoad(controller: ReadyController, session: string) {
  let responses = 0
  let isStopping = false
  const failures: string[] = []
  const clients = openConnections(controller, 4)
  const run = String(performance.now())
  const runClient = async (client: OneConnection, index: number): Promise<void> => {
    for (let n = 0; !isStopping; n++) {
      const isWrite = n % 5 === 4
      const body = buildSignerBody(`load-${run.replace('.', '-')}-${index}-${n}`)
      const response = await (isWrite
        ? client.request('POST', SIGNERS, { session, body })
        : client.request('GET', OWN_SESSION, { session })
      ).catch((error: Error) => error)
      responses++
      if (response instanceof Error) failures.push(`no response: ${response.message}`)
      else if (response.status !== (isWrite ? 201 : 200)) failures.push(`${response.status} ${response.text}`)
      await sleep(5)
    }
  }
  const ended = Promise.all(clients.map(runClient))
  const limit = setTimeout(() => {
    isStopping = true
  }, LOAD_LIMIT_MS)
  return {
    responses: () => responses,
    stop: async () => {
      isStopping = true
      clearTimeout(limit)
      await ended
      for (const client of clients) client.close()
      return failures
    },
  }
}
