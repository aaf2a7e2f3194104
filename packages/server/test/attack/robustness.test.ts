import assert from 'node:assert/strict'
import { AsyncLocalStorage } from 'node:async_hooks'
import { readdirSync, readlinkSync } from 'node:fs'
import { Readable } from 'node:stream'
import { describe, test } from 'node:test'
import { openRawHttps } from '@countersign/testkit'
import { pino } from 'pino'
import { ADMIN_PASSWORD } from '../http/build-app.ts'
import { HOSTILE_BEHAVIOURS } from './hostile-behaviours.ts'
import { http, withBody } from './hostile-requests.ts'
import { serveRoutes } from './serve-routes.ts'
import { sharedTarget } from './target.ts'

const target = sharedTarget()
/** Without the database: SQLite keeps the file of a reader that has ended open for the next one. */
const openFiles = () => readdirSync('/proc/self/fd').filter((fd) => !pathOf(fd).endsWith('.db')).length
const fine = () => ({ status: 200, json: { fine: true } })

function pathOf(fd: string): string {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`)
  } catch {
    // Closed meanwhile.
    return ''
  }
}

async function until(holds: () => boolean, withinMs = 10_000): Promise<boolean> {
  const deadline = performance.now() + withinMs
  while (!holds() && performance.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 20))
  return holds()
}

describe('a hostile client', () => {
  for (const { row, title, run } of HOSTILE_BEHAVIOURS) {
    test(`${row} that ${title} does no harm`, async () => {
      const { app, port, unharmed } = target()
      const credentials = { session: app.adminSession, username: 'admin', password: ADMIN_PASSWORD }
      await unharmed(() => run(port, credentials))
    })
  }

  test('O-03 that disconnects again and again leaves no file open and no unhandled rejection', async () => {
    const { app, port, unharmed } = target()
    const credentials = { session: app.adminSession, username: 'admin', password: ADMIN_PASSWORD }
    const aborts = HOSTILE_BEHAVIOURS.filter(({ row }) => row === 'O-03')
    assert.ok(aborts.length >= 5)
    const before = openFiles()
    await unharmed(async () => {
      for (let round = 0; round < 20; round += 1) await Promise.all(aborts.map(({ run }) => run(port, credentials)))
    })
    assert.ok(await until(() => openFiles() <= before), `${openFiles()} files are open, ${before} were before`)
  })
})

describe('an internal error', () => {
  test('O-02 deep JSON inside an asynchronous context is refused like any other', async () => {
    const context = new AsyncLocalStorage<string>()
    const deep = `{"username":${'['.repeat(30_000)}`
    await context.run('a context', async () => {
      const refused = await target().app.call('POST', '/edge/client/v1/authenticate?method=password', undefined, {
        raw: deep,
      })
      assert.deepEqual([refused.status, refused.json.error.code], [400, 'COULD_NOT_PARSE_BODY'])
      const raw = `{"username":"a","envInfo":{"os":${'['.repeat(60)}${']'.repeat(60)}}}`
      const shallow = await target().app.call('POST', '/edge/client/v1/authenticate?method=password', undefined, {
        raw,
      })
      assert.notEqual(shallow.json.error.cause?.message?.includes('levels deep'), true)
    })
  })

  test('O-02 a stack overflow in a handler is a 500', async (t) => {
    const overflow = (): number => overflow() + 1
    const served = await serveRoutes(t, { '/deep': () => ({ status: overflow() }), '/fine': fine })
    const { status, json } = await served.get('/deep')
    assert.deepEqual([status, json.error.code], [500, 'UNHANDLED'])
    assert.equal((await served.get('/fine')).status, 200)
  })

  test('O-04 a response that cannot be serialized is a 500', async (t) => {
    const circle: Record<string, unknown> = {}
    circle.itself = circle
    const served = await serveRoutes(t, {
      '/circle': () => ({ status: 200, json: circle }),
      '/bigint': () => ({ status: 200, json: 1n }),
      '/header': () => ({ status: 200, json: 1, headers: { 'x-test': 'a\r\nb' } }),
      '/fine': fine,
    })
    for (const path of ['/circle', '/bigint', '/header']) {
      const { status, json } = await served.get(path)
      assert.deepEqual([path, status, json.error.code], [path, 500, 'UNHANDLED'])
      assert.ok(!JSON.stringify(json).includes('BigInt'), 'no engine messages are sent')
    }
    assert.equal((await served.get('/fine')).status, 200)
    assert.equal(served.logged.length, 3)
  })

  test('a response that fails after its beginning ends the connection, is logged, and affects no other client', async (t) => {
    const read = () => assert.fail('a fault')
    const source = { read, isTooSlow: false, wake: () => () => {}, endNotice: () => '' }
    const whole = { ...source, read: () => '', isTooSlow: true, endNotice: () => 'bye' }
    const served = await serveRoutes(t, {
      '/breaks': () => ({ status: 200, eventStream: source }),
      '/whole': () => ({ status: 200, eventStream: whole }),
      '/fine': fine,
    })
    const broken = await openRawHttps({ port: served.port })
    broken.send(http('GET /breaks'))
    await assert.rejects(broken.readResponse())
    assert.match((await served.get('/whole')).body, /bye/)
    assert.equal((await served.get('/fine')).status, 200)
    assert.match(served.logged.join(''), /a fault/)
  })

  test('O-04 a log that throws costs a log line and nothing else', async (t) => {
    const log = pino({ level: 'trace' }, { write: () => assert.fail('the disk is full') })
    const fail = (): never => {
      throw new Error('a fault')
    }
    const served = await serveRoutes(t, { '/fails': fail, '/fine': fine }, { log })
    assert.equal((await served.get('/fails')).json.error.code, 'UNHANDLED')
    assert.equal((await served.get('/nowhere')).json.error.code, 'NOT_FOUND')
    const broken = await openRawHttps({ port: served.port })
    broken.send('garbage\r\n\r\n')
    assert.equal((await broken.readResponse()).json.error.code, 'BAD_REQUEST')
    assert.equal((await served.get('/fine')).status, 200)
  })

  test('O-04 any thrown value is a 500 without details', async (t) => {
    const served = await serveRoutes(t, {
      '/nothing': () => Promise.reject(undefined),
      '/text': () => Promise.reject('the password is 123'),
      '/proxy': () => Promise.reject(Object.create(null)),
      '/status': () => Promise.reject(Object.assign(new Error('the password is 123'), { statusCode: 200 })),
    })
    for (const path of ['/nothing', '/text', '/proxy', '/status']) {
      const { status, json, body } = await served.get(path)
      assert.deepEqual([path, status, json?.error.code], [path, 500, 'UNHANDLED'])
      assert.ok(!body.includes('123'))
    }
  })

  test('a handler that takes too long gets a 503, and its late result is discarded', async (t) => {
    const late = Promise.withResolvers<{ status: number }>()
    const lateFault = Promise.withResolvers<{ status: number }>()
    const served = await serveRoutes(
      t,
      { '/late': () => late.promise, '/fault': () => lateFault.promise, '/fine': async () => fine() },
      { handlerMs: 50 },
    )
    for (const path of ['/late', '/fault']) {
      const { status, headers, json } = await served.get(path)
      assert.deepEqual([status, json.error.code, headers['retry-after']], [503, 'TIMEOUT', '1'])
    }
    late.resolve({ status: 200 })
    lateFault.reject(new Error('late'))
    assert.equal((await served.get('/fine')).status, 200)
  })

  test('a stream that fails before its first byte is a 500, one that fails later ends the connection', async (t) => {
    async function* brokenFirst(): AsyncGenerator<string> {
      if (Date.now() > 0) throw new Error('the database is gone')
      yield ''
    }
    async function* brokenLater() {
      yield '{"data":['
      throw new Error('the database is gone')
    }
    const served = await serveRoutes(t, {
      '/first': () => ({ status: 200, stream: Readable.from(brokenFirst()) }),
      '/later': () => ({ status: 200, stream: Readable.from(brokenLater()) }),
      '/whole': () => ({ status: 200, stream: Readable.from(['[1,', '2]']) }),
    })
    const { status, json } = await served.get('/first')
    assert.deepEqual([status, json.error.code], [500, 'UNHANDLED'])
    await assert.rejects(served.get('/later'), /the connection ended after/)
    assert.deepEqual((await served.get('/whole')).json, [1, 2])
    assert.ok(served.logged.some((line) => line.includes('a response stream failed')))
  })
})

test('M-12 members that a caller cannot set have no effect', async () => {
  const { app } = target()
  const path = '/edge/management/v1/identities'
  const { id, session } = await app.makeIdentity({
    permissions: ['identity.create', 'identity.update', 'identity.read'],
  })
  const before = await app.admin('GET', `${path}/${id}`)
  for (const body of [
    { isAdmin: true },
    { isDefaultAdmin: true },
    { permissions: ['admin'] },
    { id: 'chosen', createdAt: '2001-01-01T00:00:00.000Z', unknown: { deep: [1] } },
    { typeId: 'Router', authPolicy: { id: 'x' }, hasApiSession: false },
  ]) {
    await app.call('PATCH', `${path}/${id}`, body, { session })
    const after = await app.admin('GET', `${path}/${id}`)
    const { updatedAt: _then, ...was } = before.json.data
    const { updatedAt: _now, ...is } = after.json.data
    assert.deepEqual(is, was, JSON.stringify(body))
  }
  const renamed = await app.call('PATCH', `${path}/${id}`, { name: 'renamed', unknown: 1 }, { session })
  assert.equal(renamed.status, 200, renamed.text)
  assert.equal((await app.admin('GET', `${path}/${id}`)).json.data.name, 'renamed')
})

test('M-25 the request id is always the controller’s own', async () => {
  const { request, unharmed } = target()
  for (const value of ['chosen', 'a'.repeat(10_240), '"},{"', '../../etc']) {
    const headers = ['request-id', 'x-request-id', 'x-correlation-id', 'ziti-request-id'].map(
      (name) => `${name}: ${value}`,
    )
    const { json, body } = await unharmed(() => request(http('GET /nowhere', headers)))
    assert.match(json.error.requestId, /^[0-9A-Za-z.-]{9,22}$/)
    assert.ok(!body.includes(value))
  }
  const broken = await request(http('GET /nowhere', ['x-request-id: a\r\n\r\nGET /x']))
  assert.equal(broken.status, 404)
})

test('M-26 an issuer that would break out of a challenge is refused, a plain one is stored', async () => {
  const { app, unharmed } = target()
  const members = { name: 'odd', audience: 'a', enabled: true, jwksEndpoint: 'https://idp.example.com/keys' }
  for (const issuer of ['a"b', 'a,b', 'a|b', 'a\r\nX-Test: b', 'a\nb', 'https://x" realm="y']) {
    await unharmed(async () => {
      const reply = await app.admin('POST', '/edge/management/v1/external-jwt-signers', { ...members, issuer })
      assert.deepEqual([issuer, reply.status], [issuer, 400])
    })
  }
  const reply = await app.admin('POST', '/edge/management/v1/external-jwt-signers', {
    ...members,
    issuer: 'https://é.example',
  })
  assert.equal(reply.status, 201)
})

test('M-26 a challenge contains only valid header characters', async (t) => {
  const { ChallengeError } = await import('../../src/http/pipeline/challenge.ts')
  const served = await serveRoutes(t, {
    '/odd': () => Promise.reject(new ChallengeError('Bearer issuer="a\r\nX-Evil: é"')),
  })
  const { status, headers } = await served.get('/odd')
  assert.equal(status, 401)
  assert.equal(headers['www-authenticate'], 'Bearer issuer="a??X-Evil: ?"')
  assert.equal(headers['x-evil'], undefined)
})

describe('M-09 behind a proxy', () => {
  const seen = async (options: { trusted: boolean; headers: readonly string[] }) => {
    const { request } = options.trusted ? trusting() : target()
    const body = JSON.stringify({ username: 'admin', password: ADMIN_PASSWORD })
    const response = await request(
      withBody('POST /edge/client/v1/authenticate?method=password', body, [
        'Content-Type: application/json',
        ...options.headers,
      ]),
    )
    return response.json.data.ipAddress
  }
  const trusting = sharedTarget({ settings: { http: { trustedProxies: ['127.0.0.1'] } } })

  test('M-09 the forwarded address is trusted from a configured proxy only', async () => {
    const headers = [
      'X-Forwarded-For: 203.0.113.9, 198.51.100.7',
      'X-Forwarded-Host: evil.example',
      'Forwarded: for=1.2.3.4',
    ]
    assert.equal(await seen({ trusted: false, headers }), '127.0.0.1')
    assert.equal(await seen({ trusted: true, headers }), '198.51.100.7')
  })

  test('M-09 a trusted proxy that forwards nonsense does no harm', async () => {
    for (const value of ['', ',,,', 'not an address', 'a'.repeat(20_000), '1.2.3.4, ::1, x']) {
      assert.equal(typeof (await seen({ trusted: true, headers: [`X-Forwarded-For: ${value}`] })), 'string')
    }
  })

  test('M-09 an absolute address in the request line leads to the same protected route, whatever host it names', async () => {
    const path = 'https://evil.example/edge/management/v1/external-jwt-signers'
    assert.equal((await target().request(http(`GET ${path}`))).status, 401)
    const session = `zt-session: ${target().app.adminSession}`
    const { status, body } = await target().request(http(`GET ${path}`, [session]))
    assert.equal(status, 200)
    assert.ok(!body.includes('evil.example'))
  })
})
