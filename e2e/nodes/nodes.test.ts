import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { createControllerStage, type PostgresServer, startPostgres } from '@countersign/testkit'
import { IDENTITIES, makePerson, OWN_SESSION, until } from '../workers/worker-clients.ts'
import { runFaults } from './faults.ts'
import { startHistory } from './history.ts'
import { type Nodes, startNodes } from './two-nodes.ts'

/** Other nodes see a change within this time. */
const VISIBLE_WITHIN_MS = 1_000
const STOPPED_MS = 3_000
/** Generous, since test machines are busy; `npm run soak -- faults` demands five seconds. */
const RECOVERED_WITHIN_MS = 15_000

describe('two nodes on one PostgreSQL', { timeout: 240_000 }, () => {
  const hooks: (() => Promise<void>)[] = []
  let postgres: PostgresServer
  let nodes: Nodes
  before(async () => {
    postgres = await startPostgres({ durable: true })
    hooks.push(() => postgres.stop())
    nodes = await startNodes(createControllerStage({ after: (hook) => void hooks.unshift(hook) }), postgres)
  })
  after(async () => {
    for (const hook of hooks) await hook()
  })

  it('share one CA, which the first created, and have a server certificate each', async () => {
    const read = (node: Nodes['one'], file: string) => readFileSync(join(node.dataDir, 'keys', file), 'utf8')
    const { one, two } = nodes
    assert.equal(read(one, 'ca.pem'), read(two, 'ca.pem'))
    assert.notEqual(read(one, 'server.crt'), read(two, 'server.crt'))
    const withRootKey = [one, two].filter(({ dataDir }) => existsSync(join(dataDir, 'keys', 'root.key')))
    assert.equal(withRootKey.length, 1, 'the root key stays where it was created')
    const refused = nodes.startAnother({ COUNTERSIGN_SEALING_KEY: 'b6'.repeat(32) })
    assert.equal((await refused.exited).code, 1)
    assert.match(refused.stderr(), /sealed with another sealingKey/)
  })

  it('D13 S-13 a session of one is valid on the other at once, and refused there within a second after its identity is disabled', async () => {
    const { one, two, admin } = nodes
    const { id, credentials } = await makePerson(one, admin, { name: 'alice' })
    const login = '/edge/management/v1/authenticate?method=password'
    const opened = await one.request('POST', login, { body: credentials })
    const session = String(opened.headers['zt-session'])
    assert.equal((await two.request('GET', OWN_SESSION, { session })).status, 200)
    const path = `${IDENTITIES}/${id}/disable`
    assert.equal((await one.request('POST', path, { session: admin, body: { durationMinutes: 0 } })).status, 200)
    assert.equal((await one.request('GET', OWN_SESSION, { session })).status, 401)
    await until(
      async () => (await two.request('GET', OWN_SESSION, { session })).status === 401,
      'the other node',
      VISIBLE_WITHIN_MS,
    )
  })

  it('S-05 S-06 during faults of connections, database and nodes no response is wrong and nothing is lost', async () => {
    const history = startHistory(nodes)
    const options = { stoppedMs: STOPPED_MS, limitMs: RECOVERED_WITHIN_MS }
    const recoveryMs = await runFaults(nodes, postgres, history, options).finally(() => history.finish())
    assert.equal(Object.keys(recoveryMs).length, 5)
    const { enrolled, loggedIn, revoked } = history.counts
    assert.ok(enrolled >= loggedIn && loggedIn >= revoked && revoked > 2, JSON.stringify(history.counts))
  })
})
