import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { runCommand, runNpm } from '../../tools/publish/run-command.ts'
import { buildSdk } from './sdk-pack.ts'
import { createSdkStage } from './sdk-stage.ts'

const PROGRAM = `
import { readFileSync } from 'node:fs'
import { ControllerClient, Credentials, HostedClient } from '@countersign/sdk'
import { createNodeFetch } from '@countersign/sdk/node'

const [, , baseUrl, ca, file] = process.argv
const fetch = createNodeFetch({ ca: readFileSync(ca, 'utf8') })
const [signer] = await new ControllerClient({ baseUrl, fetch }).listClientSigners()
const client = new HostedClient({ baseUrl, fetch, credentials: await Credentials.load({ file }) })
console.log(JSON.stringify({ signer: signer.name, self: (await client.self()).type }))
`

test('the packed SDK, installed alone in an empty folder, runs on our Node and on the one in PATH', async (t) => {
  const { pack } = await buildSdk(t)
  const tarball = await pack()
  const folder = mkdtempSync(join(tmpdir(), 'countersign-sdk-packed-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }\n')
  writeFileSync(join(folder, 'program.js'), PROGRAM)
  await runNpm(['install', '--offline', '--ignore-scripts', '--no-audit', '--no-fund', tarball], folder)
  const { baseUrl, dataDir } = await createSdkStage(t)
  const args = ['program.js', baseUrl, join(dataDir, 'keys/ca.pem'), join(dataDir, 'credentials.json')]
  // The Node of the tests, and the one in PATH.
  for (const node of [process.execPath, 'node']) {
    const printed = await runCommand(node, args, folder)
    assert.deepEqual(JSON.parse(printed), { signer: 'local-provider', self: 'ApiAccountIdentity' })
  }
})
