import assert from 'node:assert/strict'
import { test } from 'node:test'
import { HostedClient } from '@countersign/sdk'
import { startServer } from './local-server.ts'

const NETWORKS = [{ id: 'elsewhere' }, { id: 'here', isLocal: true }]

test('an account gets a session on its own network only, and sends it to the address that was given', async (t) => {
  let networks: readonly object[] = NETWORKS
  const server = await startServer(t, ({ path, headers }) => {
    if (path.startsWith('/core/v3/networks?'))
      return { json: { _embedded: { networkList: networks }, page: { totalPages: 1 } } }
    if (path === '/core/v3/networks/here/exchange')
      return { json: { type: 'session', value: 's1', networkControllerUrl: 'https://advertised.example/edge' } }
    return { json: { data: { session: headers['zt-session'] }, meta: {} } }
  })
  const client = new HostedClient({ baseUrl: server.url, token: 'a.b.c' })
  const controller = await client.connectLocal()
  assert.equal(controller.baseUrl, server.url)
  assert.deepEqual(await controller.summary(), { session: 's1' })
  networks = NETWORKS.slice(0, 1)
  await assert.rejects(client.connectLocal(), { code: 'NO_LOCAL_NETWORK' })
})
