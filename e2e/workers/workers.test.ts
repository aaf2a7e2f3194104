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
/** A test that fails leaves its load behind for so long. */
const LOAD_LIMIT_MS = 60_000
const BY_TOKEN = '/edge/client/v1/authenticate?method=ext-jwt'
/** Refused sign-ins of one address, on the whole node. */
const ADDRESS_BURST = 60
const ENV = {
  COUNTERSIGN_LIMITS_ADDRESS_BURST: String(ADDRESS_BURST),
  COUNTERSIGN_LIMITS_ADDRESS_PER_SECOND: '1',
  COUNTERSIGN_JWKS_ALLOW_HTTP: '127.0.0.1',
  COUNTERSIGN_JWKS_ALLOW_PRIVATE_ADDRESSES: 'true',
}

// One controller for all, one test after the other: a start of several processes is the dearest part.
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
    // Handed to the workers in turn: each has several.
    clients = openConnections(controller, 2 * WORKERS)
  })
  after(async () => {
    for (const client of clients) client.close()
    for (const hook of hooks) await hook()
    await provider.close()
  })
  const client = (index: number): OneConnection => clients[index % clients.length] ?? assert.fail()
  const eachAsks = (session: string) =>
    Promise.all(
      clients.map((one) =>
        one.request('GET', OWN_SESSION, { session }).then(
          ({ status }) => status,
          () => 'cut off',
        ),
      ),
    )
  const all = (status: number) => clients.map(() => status)

  it('D13 I-04 a session of one worker is good on all, and what one is told to disable or delete the next request on any refuses', async () => {
    assert.equal(workersOf(controller).length, WORKERS)
    for (const round of [0, 1]) {
      const { id, credentials } = await makePerson(controller, admin, { name: `somebody ${round}` })
      const opened = await client(0).request('POST', LOGIN, { body: credentials })
      assert.equal(opened.status, 200, opened.text)
      const session = String(opened.headers['zt-session'])
      // Asked on each, so that each remembers it.
      assert.deepEqual(await eachAsks(session), all(200))
      const ended =
        round === 0
          ? await client(1).request('POST', `${IDENTITIES}/${id}/disable`, {
              session: admin,
              body: { durationMinutes: 0 },
            })
          : await client(0).request('DELETE', `${IDENTITIES}/${id}`, { session: admin })
      assert.equal(ended.status, 200, ended.text)
      assert.deepEqual(await eachAsks(session), all(401))
    }
  })

  it('W-43 F-06 the keys of a signer are fetched once for all workers, and kids that nobody knows make one fetch more', async () => {
    const key = mintKey('P-256')
    const other = mintKey('P-256', 'another')
    provider.publish(key)
    const body = { ...buildSignerBody('once'), jwksEndpoint: provider.url(), useExternalId: true }
    assert.equal((await client(0).request('POST', SIGNERS, { session: admin, body })).status, 201)
    const members = { name: 'by-token', externalId: 'alice', type: 'User', isAdmin: false }
    assert.equal((await client(1).request('POST', IDENTITIES, { session: admin, body: members })).status, 201)
    const now = Math.floor(Date.now() / 1000)
    const claims = { iss: body.issuer, aud: body.audience, sub: 'alice', iat: now, exp: now + 600 }
    const signIn = async (index: number, with_ = key) => {
      const headers = { authorization: `Bearer ${mintToken({ key: with_, claims })}` }
      return (await client(index).request('POST', BY_TOKEN, { headers })).status
    }
    assert.deepEqual(await Promise.all(clients.map((_, index) => signIn(index))), all(200))
    assert.equal(provider.hits, 1)
    // What was fetched within the last second would answer for an unknown kid too.
    await sleep(1_100)
    for (let round = 0; round < 3; round++) {
      assert.deepEqual(await Promise.all(clients.map((_, index) => signIn(index, other))), all(401))
    }
    assert.equal(provider.hits, 2)
  })

  it('R-05 wrong passwords are counted for the node, whichever workers they go to', async () => {
    const made = await client(0).request('GET', `${MANAGEMENT}/auth-policies/default`, { session: admin })
    const { name, primary, secondary } = made.json.data
    const updb = { ...primary.updb, maxAttempts: 2, lockoutDurationMinutes: 5 }
    const body = { name: `${name} with lock-out`, primary: { ...primary, updb }, secondary }
    const policy = await client(0).request('POST', `${MANAGEMENT}/auth-policies`, { session: admin, body })
    assert.equal(policy.status, 201, policy.text)
    const { credentials } = await makePerson(controller, admin, { name: 'guessed', authPolicyId: policy.json.data.id })
    const signIn = async (index: number, password = credentials.password) =>
      (await client(index).request('POST', LOGIN, { body: { ...credentials, password } })).status
    assert.equal(await signIn(0), 200)
    assert.equal(await signIn(0, 'wrong'), 401)
    assert.equal(await signIn(1, 'wrong too'), 401)
    for (const index of [0, 1]) assert.equal(await signIn(index), 401, 'the right one of somebody who is locked out')
  })

  it('a stream of events tells what happens on every worker, in one order that can be resumed on any', async (t) => {
    const stream = await openEvents(t, controller, admin)
    for (const index of clients.keys()) {
      const body = buildSignerBody(`told-${index}`)
      assert.equal((await client(index).request('POST', SIGNERS, { session: admin, body })).status, 201)
    }
    const names = () => stream.events().map(({ data }) => data.finalState?.name)
    await until(
      () => [...clients.keys()].every((index) => names().includes(`told-${index}`)),
      'the events of all workers',
    )
    // What is told has happened since the call, or on its way: everything that is asked for after the answer is there.
    assert.deepEqual(
      names().filter((name) => name?.startsWith('told-')),
      [...clients.keys()].map((index) => `told-${index}`),
    )
    const [first] = stream.events()
    assert.ok(first?.id)
    const expected = stream.events().slice(1, 3)
    for (let reader = 0; reader < WORKERS; reader++) {
      const resumed = await openEvents(t, controller, admin, first.id)
      await until(() => resumed.events().length >= 2, 'what was told before')
      assert.deepEqual(resumed.events().slice(0, 2), expected)
    }
  })

  it('a worker that is killed takes nobody’s connection with it but its own, and another one takes its place', async () => {
    assert.deepEqual(await eachAsks(admin), all(200))
    const [killed = 0] = workersOf(controller)
    process.kill(killed, 'SIGKILL')
    const seen = await eachAsks(admin)
    const lost = seen.filter((status) => status !== 200).length
    assert.ok(lost <= clients.length / WORKERS, `${lost} of ${clients.length} connections were lost`)
    await until(() => !workersOf(controller).includes(killed), 'the end of the killed worker')
    assert.deepEqual(await eachAsks(admin), all(200), 'who comes again is served')
    await until(() => controller.stderr().includes('a worker serves'), 'another worker')
    assert.equal(workersOf(controller).length, WORKERS)
  })

  it('SIGHUP replaces every worker under load and no request fails; what was counted stays counted', async () => {
    const counted = async () => {
      const text = await (await fetch(controller.ready.metricsUrl)).text()
      return Number(/countersign_sign_ins_total\{method="ext-jwt".*success"\} (\d+)/.exec(text)?.[1])
    }
    await until(async () => (await counted()) > 0, 'the sign-ins in the metrics')
    const countedBefore = await counted()
    const before_ = workersOf(controller)
    const load = startLoad(controller, admin)
    await until(() => load.answers() > 20, 'the load')
    controller.child.kill('SIGHUP')
    await until(() => workersOf(controller).every((pid) => !before_.includes(pid)), 'other workers')
    const restartedAt = load.answers()
    await until(() => load.answers() > restartedAt + 20, 'more answers')
    assert.deepEqual(await load.stop(), [])
    assert.equal(workersOf(controller).length, WORKERS)
    assert.ok((await counted()) >= countedBefore)
  })

  it('limits hold for the node, not for each worker', async () => {
    const headers = { authorization: 'Bearer garbage' }
    const seen: number[] = []
    while (seen.length < 2 * ADDRESS_BURST) {
      const answers = await Promise.all(clients.map((one) => one.request('POST', BY_TOKEN, { headers })))
      seen.push(...answers.map(({ status }) => status))
      await sleep(60)
    }
    const refused = seen.filter((status) => status === 401).length
    // What came within the time of telling each other, and what was given back since the beginning.
    assert.ok(refused < 1.4 * ADDRESS_BURST, `${refused} attempts of ${seen.length} were judged`)
    assert.ok(seen.includes(429))
    assert.deepEqual(await eachAsks(admin), all(200), 'whoever has a session does not notice')
  })

  it('SIGTERM lets all of them finish and leaves nobody behind', async () => {
    const workers = workersOf(controller)
    const load = startLoad(controller, admin)
    await until(() => load.answers() > 20, 'the load')
    assert.deepEqual(await controller.stop(), { code: 0, signal: null }, controller.stderr())
    const failed = await load.stop()
    assert.ok(
      failed.every((what) => what.startsWith('no answer')),
      failed.join(),
    )
    for (const pid of workers) assert.throws(() => process.kill(pid, 0), /ESRCH/)
  })
})

it('workers whose starter is killed end by themselves, and the next start finds everything', async (t) => {
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

/** Clients that read and write all the time, each on a connection that it keeps; answers what went wrong. */
function startLoad(controller: ReadyController, session: string) {
  let answers = 0
  let isStopping = false
  const failures: string[] = []
  const clients = openConnections(controller, 4)
  const run = String(performance.now())
  const one = async (client: OneConnection, index: number): Promise<void> => {
    for (let n = 0; !isStopping; n++) {
      const isWrite = n % 5 === 4
      const body = buildSignerBody(`load-${run.replace('.', '-')}-${index}-${n}`)
      const answer = await (isWrite
        ? client.request('POST', SIGNERS, { session, body })
        : client.request('GET', OWN_SESSION, { session })
      ).catch((error: Error) => error)
      answers++
      if (answer instanceof Error) failures.push(`no answer: ${answer.message}`)
      else if (answer.status !== (isWrite ? 201 : 200)) failures.push(`${answer.status} ${answer.text}`)
      await sleep(5)
    }
  }
  const ended = Promise.all(clients.map(one))
  const stopLate = setTimeout(() => {
    isStopping = true
  }, LOAD_LIMIT_MS)
  return {
    answers: () => answers,
    stop: async () => {
      isStopping = true
      clearTimeout(stopLate)
      await ended
      for (const client of clients) client.close()
      return failures
    },
  }
}
