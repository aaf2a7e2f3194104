/** Two nodes of the previous release on one PostgreSQL are replaced one after the other by this release, under load: no request fails. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { createControllerStage, type ReadyController, startPostgres } from '@countersign/testkit'
import { type Nodes, startNodes } from '../nodes/two-nodes.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const CLIENTS = 8
const IDENTITIES = '/edge/management/v1/identities'
const OWN_SESSION = '/edge/client/v1/current-api-session'
const LOGIN = '/edge/client/v1/authenticate?method=ext-jwt'
const ENROLL = '/edge/client/v1/enroll/token'

/**
 * `npm run soak -- upgrade [--from=COMMIT] [--seconds=5]`: from the previous release in docs/releases.md, or another commit, to this tree with one more
 * step of the schema, which adds a column to each table of the load.
 */
export async function run(flags: string[]): Promise<void> {
  const options = { from: { type: 'string' }, seconds: { type: 'string', default: '5' } } as const
  const { values } = parseArgs({ args: flags, options, strict: false })
  const commit = typeof values.from === 'string' ? values.from : readPreviousRelease()
  const phaseMs = Number(values.seconds) * 1000
  if (!(phaseMs > 0)) throw new TypeError(`--seconds must be a number, got ${values.seconds}`)
  const cleanUp: (() => Promise<void>)[] = []
  const old = checkOut(git('archive', '--format=tar', commit))
  const next = addStep(checkOut(packWorkingTree()))
  const postgres = await startPostgres({ durable: true })
  try {
    const commandOf = (folder: string) => [process.execPath, join(folder, 'packages/cli/bin/countersign.js'), 'up']
    const stage = createControllerStage({ after: (hook) => void cleanUp.push(hook) })
    let isOld = true
    const start: typeof stage.start = (options) => stage.start({ ...options, command: commandOf(isOld ? old : next) })
    const nodes = await startNodes({ ...stage, start }, postgres)
    isOld = false
    const balancer = new Balancer([nodes.one, nodes.two])
    const load = startLoad(balancer, nodes)
    await sleep(phaseMs)
    for (const [before, startNext] of [
      [nodes.one, nodes.startOne],
      [nodes.two, nodes.startTwo],
    ] as const) {
      // As a load balancer does: no new requests, then the node ends, and its successor is used when it is ready.
      console.log(`${new Date().toISOString()} replaces ${before.ready.baseUrl}`)
      balancer.remove(before)
      const { code } = await before.stop()
      assert.equal(code, 0, before.stderr())
      const after = await startNext()
      console.log(`${new Date().toISOString()} adds ${after.ready.baseUrl}`)
      balancer.add(after)
      await sleep(phaseMs)
    }
    const { requests, failures } = await load.stop()
    assert.deepEqual(failures, [], `${failures.length} of ${requests} requests failed`)
    assert.ok(requests > 100, `only ${requests} requests`)
    console.log(`from ${commit}: ${requests} requests during the upgrade, none failed`)
  } finally {
    for (const hook of cleanUp) await hook()
    await postgres.stop()
    for (const folder of [old, next]) rmSync(folder, { recursive: true, force: true })
  }
}

/** Sends requests to the nodes in turn. */
class Balancer {
  #nodes: readonly ReadyController[]
  #turn = 0

  constructor(nodes: readonly ReadyController[]) {
    this.#nodes = nodes
  }

  remove(node: ReadyController): void {
    this.#nodes = this.#nodes.filter((other) => other !== node)
  }

  add(node: ReadyController): void {
    this.#nodes = [...this.#nodes, node]
  }

  next(): ReadyController {
    const node = this.#nodes[this.#turn++ % this.#nodes.length]
    if (!node) throw new Error('no node is left')
    return node
  }
}

function startLoad(balancer: Balancer, { admin, token }: Nodes) {
  const failures: string[] = []
  let requests = 0
  let isStopped = false
  const send = async (
    method: string,
    path: string,
    expected: number,
    options: Parameters<ReadyController['request']>[2],
  ) => {
    requests++
    const node = balancer.next()
    const fail = (why: string) =>
      void failures.push(`${new Date().toISOString()} ${node.ready.baseUrl} ${method} ${path}: ${why}`)
    try {
      const reply = await node.request(method, path, options)
      if (reply.status === expected) return reply
      fail(`${reply.status} ${reply.text.slice(0, 200)}`)
    } catch (error) {
      fail(String(error))
    }
    return undefined
  }
  const client = async (number: number): Promise<void> => {
    const headers = { authorization: `Bearer ${token(`client-${number}`)}` }
    await send('POST', ENROLL, 200, { headers, body: {} })
    for (let round = 0; !isStopped; round++) {
      const login = await send('POST', LOGIN, 200, { headers })
      const own = login && { session: String(login.headers['zt-session']) }
      if (own) await send('GET', OWN_SESSION, 200, own)
      const body = { name: `load-${number}-${round}`, type: 'Default', isAdmin: false, roleAttributes: ['load'] }
      const created = await send('POST', IDENTITIES, 201, { session: admin, body })
      const id = created?.json.data.id
      if (id === undefined) continue
      await send('PATCH', `${IDENTITIES}/${id}`, 200, { session: admin, body: { tags: { round } } })
      await send('GET', `${IDENTITIES}?limit=5`, 200, { session: admin })
      await send('DELETE', `${IDENTITIES}/${id}`, 200, { session: admin })
    }
  }
  const running = Promise.all(Array.from({ length: CLIENTS }, (_, number) => client(number)))
  return {
    stop: async () => {
      isStopped = true
      await running
      return { requests, failures }
    },
  }
}

const TABLES = ['identities', 'authenticators', 'api_sessions', 'auth_policies', 'ext_jwt_signers']

/** Adds a step to the schema, as a later release would. */
function addStep(folder: string): string {
  const file = join(folder, 'packages/server/src/store/migrations/migrations.ts')
  const text = readFileSync(file, 'utf8')
  const end = text.lastIndexOf(']')
  const added = TABLES.map((table) => `'alter table ${table} add column rehearsal text'`).join(', ')
  const step = `  { version: 1000, name: 'rehearsal', statements: () => [${added}] },\n`
  writeFileSync(file, text.slice(0, end) + step + text.slice(end))
  return folder
}

const git = (...words: readonly string[]): Buffer => execFileSync('git', words, { cwd: ROOT, maxBuffer: 2 ** 28 })

/** The sources as they are on disk, committed or not. */
function packWorkingTree(): Buffer {
  const files = git('ls-files', '-z', '--cached', '--others', '--exclude-standard')
  const present = files
    .toString()
    .split('\0')
    .filter((name) => name !== '' && existsSync(join(ROOT, name)))
  const words = ['--create', '--null', '--files-from=-', '--file=-']
  return execFileSync('tar', words, { cwd: ROOT, input: present.join('\0'), maxBuffer: 2 ** 28 })
}

/** Unpacks sources to a temporary folder, with the installed packages of this one. */
function checkOut(archive: Buffer): string {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-release-'))
  execFileSync('tar', ['--extract', `--directory=${folder}`], { input: archive })
  const modules = join(ROOT, 'node_modules')
  mkdirSync(join(folder, 'node_modules/@countersign'), { recursive: true })
  for (const name of readdirSync(modules)) {
    if (name !== '@countersign' && name !== 'countersign') {
      symlinkSync(join(modules, name), join(folder, 'node_modules', name))
    }
  }
  for (const name of readdirSync(join(folder, 'packages'))) {
    symlinkSync(join(folder, 'packages', name), join(folder, 'node_modules/@countersign', name))
    const own = join(ROOT, 'packages', name, 'node_modules')
    if (existsSync(own)) symlinkSync(own, join(folder, 'packages', name, 'node_modules'))
  }
  return folder
}

/** The commit in the table of docs/releases.md. */
function readPreviousRelease(): string {
  const page = readFileSync(join(ROOT, 'docs/releases.md'), 'utf8')
  const [, commit] = /^\| previous \|[^|]*\| `([0-9a-f]{7,40})`/m.exec(page) ?? []
  if (!commit) throw new Error('docs/releases.md names no previous release')
  return commit
}
