import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { rawRequest, stateDigest } from '@countersign/testkit'
import { type Credentials, withBody } from './hostile-requests.ts'

const COMMAND = fileURLToPath(new URL('../../../cli/bin/countersign.js', import.meta.url))
/** What only waits to be collected is no leak: the process collects when it is asked to. */
const COLLECTING = ['--expose-gc', '--import', "data:text/javascript,process.on('SIGUSR2', () => globalThis.gc())"]
const COLLECTED_AFTER_MS = 300
const READY_WITHIN_MS = 30_000
const PASSWORD = 'the-admin-of-the-attacked'

/** The whole product in a process of its own, seen from outside. */
export interface ControllerProcess {
  readonly port: number
  readonly credentials: Credentials
  /** Fails when it has ended, or has complained of a promise that nobody waited for. */
  checkAlive(): void
  memoryBytes(): number
  /** What is left when everything that nobody holds is gone. */
  keptBytes(): Promise<number>
  openFiles(): number
  state(): Promise<Record<string, string>>
  stop(): Promise<void>
}

export async function startControllerProcess(): Promise<ControllerProcess> {
  const dir = mkdtempSync(join(tmpdir(), 'countersign-attacked-'))
  const up = [COMMAND, 'up', '--json', '--port', '0', '--data-dir', join(dir, 'data')]
  const child = spawn(process.execPath, [...COLLECTING, ...up], {
    cwd: dir,
    env: { PATH: process.env.PATH, HOME: dir, COUNTERSIGN_ADMIN_PASSWORD: PASSWORD },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const output = { stdout: '', stderr: '' }
  child.stdout.on('data', (text: Buffer) => {
    output.stdout += text
  })
  child.stderr.on('data', (text: Buffer) => {
    output.stderr = (output.stderr + text).slice(-100_000)
  })
  const stop = async (): Promise<void> => {
    if (child.exitCode === null) {
      child.kill('SIGKILL')
      await once(child, 'exit')
    }
    rmSync(dir, { recursive: true, force: true })
  }
  try {
    const { baseUrl, pid } = await untilReady(child, output)
    assert.equal(pid, child.pid)
    const port = Number(new URL(baseUrl).port)
    const credentials = await logIn(port)
    const memoryBytes = () => 1024 * Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1])
    return {
      port,
      credentials,
      checkAlive: () => {
        assert.equal(child.exitCode ?? child.signalCode, null, output.stderr)
        assert.ok(!/unhandled(rejection| promise)|uncaught/i.test(output.stderr), output.stderr)
      },
      memoryBytes,
      keptBytes: async () => {
        for (let times = 0; times < 3; times += 1) {
          child.kill('SIGUSR2')
          await new Promise((resolve) => setTimeout(resolve, COLLECTED_AFTER_MS))
        }
        return memoryBytes()
      },
      openFiles: () => readdirSync(`/proc/${pid}/fd`).length,
      state: () => stateOfFile(findDatabase(join(dir, 'data'))),
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}

async function untilReady(child: ChildProcess, output: { stdout: string; stderr: string }) {
  const deadline = performance.now() + READY_WITHIN_MS
  while (!output.stdout.includes('\n')) {
    assert.ok(child.exitCode === null && performance.now() < deadline, `never became ready: ${output.stderr}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  return JSON.parse(output.stdout) as { baseUrl: string; pid: number }
}

async function logIn(port: number): Promise<Credentials> {
  const body = JSON.stringify({ username: 'admin', password: PASSWORD })
  const { json } = await rawRequest(port, withBody('POST /edge/client/v1/authenticate?method=password', body))
  return { session: json.data.token, username: 'admin', password: PASSWORD }
}

function findDatabase(dir: string): string {
  const name = readdirSync(dir).find((entry) => entry.endsWith('.db')) ?? assert.fail(`no database in ${dir}`)
  return join(dir, name)
}

async function stateOfFile(file: string): Promise<Record<string, string>> {
  const database = new DatabaseSync(file, { readOnly: true })
  try {
    return await stateDigest({
      listTables: async () =>
        database
          .prepare("select name from sqlite_schema where type = 'table' and name not like 'sqlite_%'")
          .all()
          .map(({ name }) => String(name)),
      readTable: async (name) => database.prepare(`select * from "${name}"`).all(),
    })
  } finally {
    database.close()
  }
}
