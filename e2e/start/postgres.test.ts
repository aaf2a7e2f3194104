import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { createControllerStage, type ReadyController, startPostgres } from '@countersign/testkit'
import { buildSignerBody, CLIENT_SIGNERS, SIGNERS } from './signer-body.ts'

/** Other nodes see a change within this time. */
const VISIBLE_WITHIN_MS = 1_000

test('D13 two controllers on one PostgreSQL show each other’s signers at once, and a restart keeps them', async (t) => {
  const stage = createControllerStage(t)
  const server = await startPostgres()
  t.after(() => server.stop())
  const url = await server.createDatabase()
  const unreachable = new URL(url)
  unreachable.port = '1'
  const refused = stage.launch({ env: { COUNTERSIGN_DATABASE: unreachable.href } })
  assert.equal((await refused.exited).code, 1)
  assert.match(refused.stderr(), /^(starting…\n)?error: cannot use the database at 127\.0\.0\.1:1: .*\nhint: .*\n$/)
  assert.ok(!refused.stderr().includes(new URL(url).password))

  // The password is in the environment, since other users of the machine can read command lines.
  const env = { COUNTERSIGN_DATABASE: url, COUNTERSIGN_ADMIN_PASSWORD: 'the password of both' }
  const one = await stage.start({ env })
  assert.equal(one.ready.admin.password, 'the password of both')
  const session = await one.logIn()
  assert.equal((await one.request('POST', SIGNERS, { session, body: buildSignerBody('before') })).status, 201)
  assert.equal((await one.stop()).code, 0)

  const [again, other] = await Promise.all([
    stage.start({ args: ['--database', url] }),
    stage.start({ env, dataDir: join(stage.folder, 'other') }),
  ])
  for (const { ready } of [again, other]) assert.equal(ready.admin.password, null)
  // Listed first, so that both cache a list without the new signer.
  for (const node of [again, other]) assert.deepEqual(await listNames(node), ['before'])
  const created = await again.request('POST', SIGNERS, {
    session: await again.logIn('the password of both'),
    body: buildSignerBody('at-once'),
  })
  assert.equal(created.status, 201, created.text)
  const createdAt = performance.now()
  assert.deepEqual(await listNames(again), ['at-once', 'before'])
  let seen = await listNames(other)
  while (seen.length < 2 && performance.now() - createdAt < VISIBLE_WITHIN_MS) seen = await listNames(other)
  assert.deepEqual(seen, ['at-once', 'before'])
  assert.equal((await again.stop()).code, 0)
  assert.deepEqual(await listNames(other), ['at-once', 'before'])
  assert.equal((await other.stop()).code, 0)
})

async function listNames(controller: ReadyController): Promise<string[]> {
  const { json } = await controller.request('GET', CLIENT_SIGNERS)
  return json.data.map(({ name }: { name: string }) => name)
}
