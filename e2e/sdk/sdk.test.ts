import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { createControllerStage } from '@countersign/testkit'

const STORY = fileURLToPath(new URL('./story.ts', import.meta.url))

/** The client runs in a process of its own, which trusts the controller's CA as a user's program would. */
function runStory(env: Readonly<Record<string, string>>): Promise<{ code: number | null; output: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [STORY], {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let output = ''
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => (output += chunk.toString()))
    child.once('error', reject)
    child.once('exit', (code) => resolve({ code, output }))
  })
}

test('the SDK logs in, manages signers and tells refusals apart, against a real controller', async (t) => {
  const stage = createControllerStage(t)
  const controller = await stage.start({ args: ['--dev'] })
  const { baseUrl, caFile, admin } = controller.ready
  const env = { NODE_EXTRA_CA_CERTS: caFile, BASE_URL: baseUrl, PASSWORD: admin.password ?? '' }
  assert.deepEqual(await runStory(env), { code: 0, output: 'done\n' })
})
