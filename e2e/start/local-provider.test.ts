import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { createControllerStage, type ReadyController } from '@countersign/testkit'
import { curl } from './curl.ts'

const DEV = { args: ['--dev'] }
const PAGE = new URL('../../docs/local-provider.md', import.meta.url)

test('the commands of the local provider page work: machines of three kinds, a person, logouts, SCIM, new keys', async (t) => {
  const stage = createControllerStage(t)
  const { ready } = await stage.start({ ...DEV, dataDir: join(stage.folder, '.countersign') })
  const idp = ready.identityProviderUrl ?? assert.fail('no provider')
  const lines = runPage(stage.folder, ready.baseUrl, idp)
  const results = lines.map((line) => JSON.parse(line))
  const [networks, pool, platform, enterprise, session, loggedOut, disabled, enabled, ...others] = results
  const [created, moved, deactivated, rotated] = others
  assert.equal(networks._embedded.networkList[0].name, 'local')
  const names = [pool, platform, enterprise].map(({ name }) => name)
  assert.deepEqual(names, ['Local user pool', 'Local hosted platform', 'Local enterprise provider'])
  assert.equal(session.data.identity.name, 'alice')
  assert.deepEqual(loggedOut, { sent: 'backchannel-logout', response: 200 })
  for (const sent of [disabled, enabled]) assert.deepEqual(sent, { sent: 'events', response: 202 })
  const { user } = created
  assert.deepEqual(
    [created, moved, deactivated],
    [
      { user, active: true, groups: ['contractors'] },
      { user, active: true, groups: ['sales', 'engineering'] },
      { user, active: false, groups: ['contractors'] },
    ],
  )
  assert.equal(rotated.stillShown.length, 2)
  // A token of the second of the logout is refused.
  await nextSecond()
  const again = runPage(stage.folder, ready.baseUrl, idp).map((line) => JSON.parse(line))
  assert.equal(again[4].data.identityId, session.data.identityId, 'again, with the new keys')
})

async function nextSecond(): Promise<void> {
  const second = () => Math.floor(Date.now() / 1000)
  for (const now = second(); second() === now; ) await new Promise((resolve) => setTimeout(resolve, 20))
}

test('credentials of the first start are valid after the next, although the controller has another port', async (t) => {
  const stage = createControllerStage(t)
  const first = await stage.start(DEV)
  const names = readdirSync(first.dataDir).filter((name) => name.startsWith('credentials'))
  assert.deepEqual(names.sort(), [
    'credentials-enterprise.json',
    'credentials-hosted-platform.json',
    'credentials.json',
  ])
  for (const name of [...names, 'keys/local-provider.json']) {
    assert.equal(statSync(join(first.dataDir, name)).mode & 0o777, 0o600, name)
  }
  const { clientId } = readJson(first, 'credentials-hosted-platform.json')
  await first.stop()

  const second = await stage.start(DEV)
  assert.equal(second.ready.identityProviderUrl, first.ready.identityProviderUrl)
  const self = await requestSelf(second, `${second.ready.hostedBaseUrl}/`)
  assert.deepEqual([self.status, self.json.clientId], [200, clientId], self.text)
})

test('the hosted platform also accepts the advertised name as audience', async (t) => {
  const stage = createControllerStage(t)
  const named = await stage.start({ args: [...DEV.args, '--advertise', 'gateway.production.netfoundry.io:443'] })
  for (const audience of ['https://gateway.production.netfoundry.io/', `${named.ready.hostedBaseUrl}/`]) {
    const self = await requestSelf(named, audience)
    assert.deepEqual([self.status, self.json.name], [200, 'Local hosted platform'], self.text)
  }
})

/** The `self` response for the machine of the hosted platform, with a token for this audience. */
async function requestSelf(controller: ReadyController, audience: string) {
  const { clientId, password, authenticationUrl } = readJson(controller, 'credentials-hosted-platform.json')
  const response = await fetch(authenticationUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      client_id: clientId,
      client_secret: password,
      audience,
      grant_type: 'client_credentials',
    }),
  })
  const { access_token } = (await response.json()) as { access_token: string }
  return controller.request('GET', '/identity/v1/identities/self', {
    headers: { authorization: `Bearer ${access_token}` },
  })
}

test('without --dev there is no provider, even in a data directory that had one; with it, it listens on loopback only', async (t) => {
  const stage = createControllerStage(t)
  const plain = await stage.start()
  assert.equal(plain.ready.identityProviderUrl, null)
  assert.equal(existsSync(join(plain.dataDir, 'keys', 'local-provider.json')), false)
  assert.equal(existsSync(join(plain.dataDir, 'credentials.json')), false)
  await plain.stop()

  const dev = await stage.start({ args: ['--dev', '--host', '0.0.0.0'] })
  const { hostname, port } = new URL(dev.ready.identityProviderUrl ?? '')
  assert.equal(hostname, '127.0.0.1')
  assert.equal(await isOpen('127.0.0.1', Number(port)), true)
  assert.equal(await isOpen('127.0.0.2', Number(port)), false, 'only one address')
  assert.equal(await isOpen('127.0.0.2', Number(new URL(dev.ready.baseUrl).port)), true, 'unlike the controller')
  await dev.stop()

  const later = await stage.start()
  assert.equal(later.ready.identityProviderUrl, null)
  assert.equal(await isOpen('127.0.0.1', Number(port)), false)
})

/** Runs the shell blocks of the page, at the addresses of this test. */
function runPage(cwd: string, base: string, idp: string): string[] {
  const blocks = readFileSync(PAGE, 'utf8')
    .split('```sh\n')
    .slice(1)
    .map((rest) => rest.split('```', 1)[0] ?? '')
  const script = blocks.join('').replaceAll('https://127.0.0.1:1280', base).replaceAll('http://127.0.0.1:1282', idp)
  const output = execFileSync('sh', ['-euc', `${curl()}\n${script}`], { cwd, encoding: 'utf8' })
  return output.split('\n').filter((line) => line !== '')
}

function readJson({ dataDir }: ReadyController, name: string): Record<string, string> & { authenticationUrl: string } {
  return JSON.parse(readFileSync(join(dataDir, name), 'utf8'))
}

function isOpen(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, host, () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
}
