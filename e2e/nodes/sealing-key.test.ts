import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { type ControllerProcess, createControllerStage, startPostgres } from '@countersign/testkit'

const PASSWORD = 'the password of all nodes'
const OWN_CODES = '/edge/client/v1/current-identity/mfa'

async function refusalOf(node: ControllerProcess): Promise<string> {
  assert.equal((await node.exited).code, 1, node.stdout())
  return node.stderr()
}

test('D56 a node without the sealing key of the others, or with another one, does not start and names the setting', async (t) => {
  const stage = createControllerStage(t)
  const server = await startPostgres()
  t.after(() => server.stop())
  const env = { COUNTERSIGN_DATABASE: await server.createDatabase(), COUNTERSIGN_ADMIN_PASSWORD: PASSWORD }
  const given = (key: string) => ({ env: { ...env, COUNTERSIGN_SEALING_KEY: key.repeat(32) } })
  const at = (name: string) => ({ dataDir: join(stage.folder, name) })
  await stage.start({ ...given('a5'), ...at('one') })

  const without = await refusalOf(stage.launch({ env, ...at('two') }))
  assert.match(without, /error: the nodes on this database were given a sealingKey.*\nhint: .*COUNTERSIGN_SEALING_KEY/)
  const other = await refusalOf(stage.launch({ ...given('b6'), ...at('two') }))
  assert.match(other, /sealingKey/)
  const workers = await refusalOf(stage.launch({ env, args: ['--workers', '2'], ...at('two') }))
  assert.match(workers, /sealingKey/)
  await stage.start({ ...given('a5'), ...at('two') })
})

test('D56 of nodes that were given no sealing key, only those start that can open what the others sealed', async (t) => {
  const stage = createControllerStage(t)
  const server = await startPostgres()
  t.after(() => server.stop())
  const env = { COUNTERSIGN_DATABASE: await server.createDatabase(), COUNTERSIGN_ADMIN_PASSWORD: PASSWORD }
  const at = (name: string) => ({ env, dataDir: join(stage.folder, name) })
  const one = await stage.start(at('one'))
  const two = await stage.start(at('two'))
  await two.stop()
  const session = await one.logIn(PASSWORD)
  assert.equal((await one.request('POST', OWN_CODES, { session })).status, 201)
  await one.stop()

  assert.match(
    await refusalOf(stage.launch(at('two'))),
    /error: the database holds values that were sealed with the key [0-9a-f]{8}.*\nhint: .*COUNTERSIGN_SEALING_KEY/,
  )
  await stage.start(at('one'))
})
