import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { root } from '../../tools/paths.ts'
import { runCommand } from '../../tools/publish/run-command.ts'
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

const STEPS = /## From a clone\n.*?^```sh\n(.*?)^```$/ms

test('the SDK, packed from a clone and installed as docs/sdk.md says, runs on our Node and on the one in PATH', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-sdk-packed-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const project = join(folder, 'my-project')
  mkdirSync(project)
  symlinkSync(root, join(folder, 'countersign'))
  writeFileSync(join(project, 'package.json'), '{ "private": true, "type": "module" }\n')
  writeFileSync(join(project, 'program.js'), PROGRAM)
  writeFileSync(join(project, '.npmrc'), 'offline=true\naudit=false\nfund=false\nignore-scripts=true\n')
  const [, steps] = STEPS.exec(readFileSync(join(root, 'docs/sdk.md'), 'utf8')) ?? []
  assert.ok(steps)
  await runCommand('sh', ['-ec', steps], folder)
  const { baseUrl, dataDir } = await createSdkStage(t)
  const args = ['program.js', baseUrl, join(dataDir, 'keys/ca.pem'), join(dataDir, 'credentials.json')]
  // The Node of the tests, and the one in PATH.
  for (const node of [process.execPath, 'node']) {
    const printed = await runCommand(node, args, project)
    assert.deepEqual(JSON.parse(printed), { signer: 'local-provider', self: 'ApiAccountIdentity' })
  }
})
