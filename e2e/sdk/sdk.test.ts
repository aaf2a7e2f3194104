import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { createControllerStage } from '@countersign/testkit'

const PROGRAM = fileURLToPath(new URL('./client-program.ts', import.meta.url))

/** Runs the client in a separate process, which trusts the controller's CA by NODE_EXTRA_CA_CERTS. */
function runProgram(env: Readonly<Record<string, string>>): Promise<{ code: number | null; output: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [PROGRAM], {
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

test('the SDK logs in, manages signers and distinguishes refusals, against a real controller', async (t) => {
  const stage = createControllerStage(t)
  const controller = await stage.start({ args: ['--dev'] })
  const { baseUrl, caFile, admin } = controller.ready
  const env = { NODE_EXTRA_CA_CERTS: caFile, BASE_URL: baseUrl, PASSWORD: admin.password ?? '' }
  assert.deepEqual(await runProgram(env), { code: 0, output: 'done\n' })
})
