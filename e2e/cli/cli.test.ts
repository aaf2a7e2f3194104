import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { COMMAND } from '@countersign/testkit'
import { expandVariables, matchesLines, parseScript, type Step } from './script.ts'

const HERE = fileURLToPath(new URL('.', import.meta.url))
const SCRIPTS = readdirSync(HERE).filter((name) => name.endsWith('.script'))
const LIMIT_MS = 120_000

/** A new folder, a `countersign` on the path, and a port that is in use. */
async function createStage(t: TestContext) {
  const root = mkdtempSync(join(tmpdir(), 'countersign-script-'))
  t.after(() => rmSync(root, { recursive: true, force: true }))
  const cwd = join(root, 'work')
  mkdirSync(cwd)
  mkdirSync(join(root, 'bin'))
  const shim = join(root, 'bin', 'countersign')
  writeFileSync(shim, `#!/bin/sh\nexec '${process.execPath}' '${COMMAND}' "$@"\n`)
  chmodSync(shim, 0o755)
  const taken = createServer().listen(0, '127.0.0.1')
  await once(taken, 'listening')
  t.after(() => taken.close())
  const variables: Record<string, string> = { TAKEN_PORT: String((taken.address() as AddressInfo).port) }
  return { cwd, variables, path: `${join(root, 'bin')}:${process.env.PATH}` }
}

type Stage = Awaited<ReturnType<typeof createStage>>

function launch(
  { cwd, variables, path }: Stage,
  command: string,
): ChildProcess & { output: Record<'stdout' | 'stderr', string> } {
  const env = { ...variables, PATH: path, HOME: cwd, LANG: 'C.UTF-8' }
  const child = spawn('sh', ['-c', command], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
  const output = { stdout: '', stderr: '' }
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output.stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output.stderr += text
  })
  return Object.assign(child, { output })
}

async function run(stage: Stage, step: Step, name: string): Promise<void> {
  const child = launch(stage, step.command)
  const timer = setTimeout(() => child.kill('SIGKILL'), LIMIT_MS)
  const [exitCode] = (await once(child, 'close')) as [number | null]
  clearTimeout(timer)
  const where = `${name}:${step.line}: ${step.command}`
  for (const stream of ['stdout', 'stderr'] as const) {
    const expected = step[stream].map((line) => expandVariables(line, stage.variables))
    const lines = child.output[stream].split('\n').filter((line) => line !== '')
    if (!matchesLines(expected, lines)) assert.deepEqual(lines, expected, `${where}: ${stream}`)
  }
  assert.equal(exitCode, step.exitCode, `${where}: exit status`)
}

/** Starts a controller and sets the variables from its ready line. */
async function start(t: TestContext, stage: Stage, step: Step, name: string) {
  const child = launch(stage, `exec ${step.command}`)
  const closed = once(child, 'close') as Promise<[number | null]>
  t.after(async () => {
    child.kill('SIGKILL')
    await closed
  })
  const deadline = Date.now() + LIMIT_MS
  while (!child.output.stdout.includes('\n')) {
    const explain = `${name}:${step.line}: never became ready: ${child.output.stderr}`
    assert.ok(child.exitCode === null && Date.now() < deadline, explain)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  const ready = JSON.parse(child.output.stdout) as {
    baseUrl: string
    caFile: string
    pid: number
    identityProviderUrl: string | null
    admin: { password: string | null }
  }
  Object.assign(stage.variables, {
    BASE_URL: ready.baseUrl,
    CA_FILE: ready.caFile,
    PID: String(ready.pid),
    CA_FINGERPRINT: new X509Certificate(readFileSync(ready.caFile)).fingerprint256,
    PORT: new URL(ready.baseUrl).port,
    IDENTITY_PROVIDER_URL: ready.identityProviderUrl ?? '(null)',
    ADMIN_PASSWORD: ready.admin.password ?? '(null)',
  })
  return { child, closed }
}

test('there are scripts', () => {
  assert.ok(SCRIPTS.length >= 5, SCRIPTS.join())
})

for (const name of SCRIPTS) {
  test(`the script ${name} produces the expected output`, async (t) => {
    const steps = parseScript(readFileSync(join(HERE, name), 'utf8'))
    assert.ok(steps.length > 0)
    const stage = await createStage(t)
    let running: Awaited<ReturnType<typeof start>> | undefined
    for (const step of steps) {
      if (step.kind === 'run') await run(stage, step, name)
      else if (step.kind === 'start') running = await start(t, stage, step, name)
      else {
        assert.ok(running, `${name}:${step.line}: nothing to stop`)
        running.child.kill('SIGTERM')
        const [exitCode] = await running.closed
        assert.equal(exitCode, step.exitCode, `${name}:${step.line}: exit status\n${running.child.output.stderr}`)
      }
    }
  })
}
