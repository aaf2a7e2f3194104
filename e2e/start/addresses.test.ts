import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { connect } from 'node:tls'
import { createControllerStage, type ReadyController } from '@countersign/testkit'

test('D32 controllers on free ports run side by side, each with its configured addresses', async (t) => {
  const stage = createControllerStage(t)
  const dataDir = (name: string) => join(stage.folder, name)
  const advertised = ['--advertise', 'name.example:1280', '--advertise', '[2001:db8::7]:1281']
  const [plain, other, named] = await Promise.all([
    stage.start({ dataDir: dataDir('plain') }),
    stage.start({ dataDir: dataDir('other') }),
    stage.start({ dataDir: dataDir('named'), args: ['--host', '::1', ...advertised] }),
  ])
  const all = [plain, other, named]
  const addresses = all.flatMap(({ ready }) => [ready.baseUrl, ready.metricsUrl])
  assert.equal(
    new Set(addresses.map((url) => new URL(url).port)).size,
    addresses.length,
    'every listener has its own port',
  )
  for (const controller of all) {
    const { status, headers, json } = await controller.request('GET', '/version')
    assert.equal(status, 200)
    assert.match(json.data.version, /^v2\.\d+\.\d+$/)
    assert.match(json.data.countersign.version, /^\d+\.\d+\.\d+/)
    assert.equal(headers.server, `countersign/${json.data.countersign.version}`)
  }

  assert.deepEqual(await listBaseUrls(plain), [`${plain.ready.baseUrl}/edge/management/v1`])
  const ownNames = ['localhost', '127.0.0.1', '0:0:0:0:0:0:0:1']
  assert.deepEqual((await readHostNames(plain)).sort(), [...ownNames].sort())

  assert.match(named.ready.baseUrl, /^https:\/\/\[::1\]:\d+$/)
  assert.deepEqual(await listBaseUrls(named), [
    'https://name.example:1280/edge/management/v1',
    'https://[2001:db8::7]:1281/edge/management/v1',
  ])
  const names = await readHostNames(named)
  assert.deepEqual(names.sort(), [...ownNames, 'name.example', '2001:DB8:0:0:0:0:0:7'].sort())
})

async function listBaseUrls(controller: ReadyController): Promise<string[]> {
  const { json } = await controller.request('GET', '/version')
  return json.data.apiVersions['edge-management'].v1.apiBaseUrls
}

/** The names and addresses in the server's certificate. */
async function readHostNames({ ready }: ReadyController): Promise<string[]> {
  const { hostname, port } = new URL(ready.baseUrl)
  const host = hostname.replace(/^\[(.*)\]$/, '$1')
  const socket = connect({ host, port: Number(port), ca: readFileSync(ready.caFile) })
  await once(socket, 'secureConnect')
  const { subjectaltname = '' } = socket.getPeerCertificate()
  socket.destroy()
  return subjectaltname
    .split(', ')
    .filter((name) => !name.startsWith('URI:'))
    .map((name) => name.replace(/^(DNS|IP Address):/, ''))
}
