import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { openRawHttps, type RawConnection } from '@countersign/testkit'
import { buildApp } from '../http/build-app.ts'
import { summarize } from '../http/ext-jwt-signers.fixture.ts'
import { makePerson, mustRegister, PASSKEYS } from '../http/passkeys.fixture.ts'

/** As many of a kind as an identity can make at once. */
const CHANGES = 100

async function setUp(t: TestContext) {
  const app = await buildApp(t, { isAlone: 'controller' })
  await app.controller.http.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.controller.http.server.address() as { port: number }
  const person = await makePerson(app)
  const path = `${PASSKEYS}/${await mustRegister(app, person)}`
  // Stops the clock, by which the limit is refilled.
  const now = app.clock.now()
  t.mock.method(app.clock, 'now', () => now)
  const rename = async (session: string, name: string) =>
    summarize(await app.call('PATCH', path, { name }, { session }))
  return { app, port, path, owner: person.session, stolen: await person.logIn(), rename }
}

test('R-22 a thief of a session who holds back the bodies of changes does not use up those of its owner', async (t) => {
  const { port, path, owner, stolen, rename } = await setUp(t)
  const head = `PATCH ${path} HTTP/1.1\r\nHost: localhost\r\nzt-session: ${stolen}\r\nContent-Type: application/json`
  const connections: RawConnection[] = []
  try {
    for (let opened = 0; opened < CHANGES; opened++) {
      const connection = await openRawHttps({ port })
      connections.push(connection)
      connection.send(`${head}\r\nContent-Length: 100\r\nExpect: 100-continue\r\n\r\n`)
      assert.equal((await connection.readResponse()).status, 100, 'the body is awaited')
    }
    assert.equal(await rename(owner, 'mine'), '200')
  } finally {
    for (const connection of connections) connection.close()
  }
})

test('R-22 a thief of a session whose changes are refused late, many at once, does not use up those of its owner', async (t) => {
  const { app, owner, stolen: session, rename } = await setUp(t)
  const { promise: isOver, resolve: end } = Promise.withResolvers<void>()
  const { run } = app.store
  t.mock.method(app.store, 'run', async (...call: Parameters<typeof run>) => {
    if ((call[1] as { readonly id?: string }).id === 'none') await isOver
    return run(...call)
  })
  const refused = Array.from({ length: 2 * CHANGES }, async () =>
    summarize(await app.call('PATCH', `${PASSKEYS}/none`, { name: 'x' }, { session })),
  )
  assert.equal(await Promise.race(refused), '429 SERVER_TOO_MANY_REQUESTS', 'no place is left for the thief')
  const renamed = await rename(owner, 'mine')
  end()
  assert.equal(renamed, '200')
  const replies = new Set(await Promise.all(refused))
  assert.deepEqual(replies, new Set(['404 NOT_FOUND', '429 SERVER_TOO_MANY_REQUESTS']))
})

test('R-22 changes whose bodies arrive count, whichever session makes them', async (t) => {
  const { owner, stolen, rename } = await setUp(t)
  for (let change = 0; change < CHANGES; change++) assert.equal(await rename(stolen, `${change}`), '200')
  assert.equal(await rename(owner, 'mine'), '429 SERVER_TOO_MANY_REQUESTS')
})
