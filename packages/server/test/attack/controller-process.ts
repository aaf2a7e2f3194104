import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { createControllerStage, rawRequest, stateDigest } from '@countersign/testkit'
import { type Credentials, withBody } from './hostile-requests.ts'
import { isState, isStateRow } from './target.ts'

/** Uncollected garbage is not a leak: the process collects garbage on SIGUSR2. */
const COLLECTING = ['--expose-gc', '--import', "data:text/javascript,process.on('SIGUSR2', () => globalThis.gc())"]
const COLLECTED_AFTER_MS = 300
const PASSWORD = 'the-attack-test-password'

/** The whole product in a separate process, observed from outside. */
export interface ControllerProcess {
  readonly port: number
  readonly credentials: Credentials
  /** Fails when the process has ended, or has logged an unhandled rejection. */
  checkAlive(): void
  memoryBytes(): number
  /** Memory in use after a garbage collection. */
  keptBytes(): Promise<number>
  openFiles(): number
  state(): Promise<Record<string, string>>
  stop(): Promise<void>
}

export async function startControllerProcess(): Promise<ControllerProcess> {
  const ends: (() => Promise<void>)[] = []
  const stop = async (): Promise<void> => {
    for (const end of ends) await end()
  }
  const stage = createControllerStage({ after: (end) => void ends.push(end) })
  try {
    const started = await stage.start({ nodeOptions: COLLECTING, env: { COUNTERSIGN_ADMIN_PASSWORD: PASSWORD } })
    const { child, pid, ready, dataDir } = started
    const port = Number(new URL(ready.baseUrl).port)
    const credentials = await logIn(port)
    const memoryBytes = () => 1024 * Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1])
    return {
      port,
      credentials,
      checkAlive: () => {
        assert.equal(child.exitCode ?? child.signalCode, null, started.stderr())
        assert.ok(!/unhandled(rejection| promise)|uncaught/i.test(started.stderr()), started.stderr())
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
      state: () => stateOfFile(findDatabase(dataDir)),
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
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
          .map(({ name }) => String(name))
          .filter(isState),
      readTable: async (name) => database.prepare(`select * from "${name}"`).all().filter(isStateRow),
    })
  } finally {
    database.close()
  }
}
