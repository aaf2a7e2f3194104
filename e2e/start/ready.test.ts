import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { get } from 'node:http'
import { request } from 'node:https'
import { isAbsolute, join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type ControllerProcess, createControllerStage, type ReadyController } from '@countersign/testkit'
import { curl } from './curl.ts'
import { findQuietPorts } from './quiet-ports.ts'
import { buildSignerBody, CLIENT_SIGNERS, SIGNERS } from './signer-body.ts'

const LIMIT_MS = 60_000

test('with --json the controller prints exactly one line on stdout, with the documented members', async (t) => {
  const stage = createControllerStage(t)
  const controller = await stage.start()
  const { ready } = controller
  assert.deepEqual(Object.keys(ready), [
    'ready',
    'baseUrl',
    'caFile',
    'dataDir',
    'pid',
    'admin',
    'hostedBaseUrl',
    'consoleUrl',
    'metricsUrl',
    'identityProviderUrl',
  ])
  assert.equal(ready.ready, true)
  assert.match(ready.baseUrl, /^https:\/\/127\.0\.0\.1:[1-9]\d*$/)
  assert.ok(isAbsolute(ready.caFile), ready.caFile)
  assert.equal(ready.dataDir, join(stage.folder, 'data'))
  assert.deepEqual(Object.keys(ready.admin), ['username', 'password'])
  assert.equal(ready.admin.username, 'admin')
  assert.ok((ready.admin.password ?? '').length >= 16, 'a password that cannot be guessed')
  for (const url of [ready.hostedBaseUrl, ready.consoleUrl]) assert.equal(new URL(url).protocol, 'https:')
  assert.match(await textOf(ready.metricsUrl), /^countersign_process_cpu_seconds_total /m)
  assert.equal(ready.identityProviderUrl, null)

  assert.equal((await controller.request('GET', '/version')).status, 200)
  assert.equal((await controller.request('GET', SIGNERS)).status, 401)
  assert.ok(await controller.logIn())

  process.kill(ready.pid, 'SIGKILL')
  assert.equal((await controller.exited).signal, 'SIGKILL', 'pid is the process whose death ends the controller')
  await assert.rejects(controller.request('GET', '/version'), { code: 'ECONNREFUSED' })
  await assert.rejects(textOf(ready.metricsUrl), { code: 'ECONNREFUSED' })
  const lines = controller.stdout().split('\n')
  assert.deepEqual(lines, [JSON.stringify(ready), ''])
})

test('D26 the summary has an example that works as printed, and the password once', async (t) => {
  const stage = createControllerStage(t)
  const first = stage.launch({ json: false })
  const summary = await untilSummary(first)
  const [, password = ''] = summary.match(/Password +(\S{16,})\n/) ?? []
  const urls = summary.match(/https?:\/\/127\.0\.0\.1:\d+\S*/g) ?? []
  assert.ok(urls.length >= 4, summary)
  assert.ok(summary.includes(join(stage.folder, 'data', 'keys', 'ca.pem')), summary)
  assert.match(summary, /Administrator +admin\n/)
  assert.ok(password !== '', summary)
  assert.deepEqual(runExample(summary, stage.folder).data, [])
  assert.deepEqual(await first.stop(), { code: 0, signal: null })

  const second = stage.launch({ json: false })
  const laterSummary = await untilSummary(second)
  assert.ok(!laterSummary.includes(password), laterSummary)
  assert.deepEqual(runExample(laterSummary, stage.folder), { data: [], meta: {} })
  assert.deepEqual(await second.stop(), { code: 0, signal: null })
})

test('D26 a password from the settings is not printed', async (t) => {
  const stage = createControllerStage(t)
  const controller = stage.launch({ json: false, env: { COUNTERSIGN_ADMIN_PASSWORD: 'a first-start password' } })
  const summary = await untilSummary(controller)
  assert.match(summary, /Password +as set in the settings\n/)
  assert.ok(!summary.includes('a first-start password'), summary)
})

for (const workers of ['1', '2']) {
  test(`a configured password works from the first response on, with --workers ${workers}`, async (t) => {
    const [port = 0, metricsPort] = await findQuietPorts(2)
    const password = 'a first-start password'
    const starting = createControllerStage(t).start({
      freePorts: false,
      args: ['--port', String(port), '--metrics-port', String(metricsPort), '--workers', workers],
      env: { COUNTERSIGN_ADMIN_PASSWORD: password },
    })
    let firstStatus: number | undefined
    const isReady = starting.then(() => true)
    while (firstStatus === undefined && !(await Promise.race([isReady, sleep(5, false)]))) {
      firstStatus = await statusOfLogin(port, password).catch(() => undefined)
    }
    assert.equal(firstStatus ?? (await statusOfLogin(port, password)), 200)
    assert.equal((await starting).ready.admin.password, password)
  })
}

test('D26 a second start keeps the signers, the CA and the password, and ignores the one in the environment', async (t) => {
  const stage = createControllerStage(t)
  const first = await stage.start({ env: { COUNTERSIGN_ADMIN_PASSWORD: 'a first-start password' } })
  assert.equal(first.ready.admin.password, 'a first-start password')
  const session = await first.logIn()
  const created = await first.request('POST', SIGNERS, { session, body: buildSignerBody('kept') })
  assert.equal(created.status, 201, created.text)
  const caBefore = readFileSync(first.ready.caFile, 'utf8')
  await first.stop()

  const second = await stage.start({ env: { COUNTERSIGN_ADMIN_PASSWORD: 'a later password' } })
  assert.equal(second.ready.admin.password, null)
  assert.equal(second.ready.caFile, first.ready.caFile)
  assert.equal(readFileSync(second.ready.caFile, 'utf8'), caBefore)
  assert.deepEqual(await clientNames(second), ['kept'])
  await assert.rejects(second.logIn('a later password'), /no login: 401/)
  assert.ok(await second.logIn('a first-start password'))
})

async function untilSummary(controller: ControllerProcess): Promise<string> {
  const deadline = Date.now() + LIMIT_MS
  while (!controller.stdout().includes('\nStop with')) {
    assert.ok(controller.child.exitCode === null && Date.now() < deadline, controller.stderr())
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  return controller.stdout()
}

/** Runs the example after the table. */
function runExample(summary: string, cwd: string) {
  const [, , , ...rest] = summary.split('\n\n')
  const example = rest.find((part) => part.includes('curl '))
  assert.ok(example, summary)
  return JSON.parse(execFileSync('sh', ['-euc', `${curl()}\n${example}`], { cwd, encoding: 'utf8' }))
}

async function clientNames(controller: ReadyController): Promise<string[]> {
  const { json } = await controller.request('GET', CLIENT_SIGNERS)
  return json.data.map(({ name }: { name: string }) => name)
}

function textOf(url: string): Promise<string> {
  return new Promise((resolve, reject) => {
    get(url, { agent: false }, (response) => {
      response.toArray().then((parts) => resolve(Buffer.concat(parts).toString()), reject)
    }).once('error', reject)
  })
}

/** Logs in without verifying the certificate, since the CA is not known yet. Rejects without a response. */
function statusOfLogin(port: number, password: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const path = '/edge/management/v1/authenticate?method=password'
    const headers = { 'content-type': 'application/json' }
    const options = { port, path, method: 'POST', headers, agent: false, rejectUnauthorized: false }
    request(options, (response) => resolve(response.resume().statusCode))
      .once('error', reject)
      .end(JSON.stringify({ username: 'admin', password }))
  })
}
