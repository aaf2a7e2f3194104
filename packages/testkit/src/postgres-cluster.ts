import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import {
  appendFileSync,
  chownSync,
  lchownSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { getPostgresBinaries, type PostgresBinaries } from './postgres-binaries.ts'

type Account = { uid: number; gid: number }
type ClusterSetup = { folder: string; data: string; account: Account | undefined; binaries: PostgresBinaries }

/** A temporary cluster. */
export type PostgresCluster = {
  url: string
  origin: string
  kill(): Promise<void>
  restart(): Promise<void>
  stop(): Promise<void>
}

const startTimeoutMs = 60_000
const startTries = 5

const baseSettings = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '200',
  lc_messages: 'C',
  timezone: 'UTC',
}
const fastSettings = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }

// The server stops and its files are removed when the pipe on stdin closes, i.e. when the process that started it is gone.
const supervise = `
exec 3<&0
"$@" 3<&- </dev/null & server=$!
{ cat <&3 >/dev/null; kill -QUIT $server; } 2>/dev/null & watch=$!
exec 3<&-
wait $server; code=$?
kill $watch 2>/dev/null || rm -rf "$CLUSTER_FOLDER"
exit $code`

/** Creates and starts a temporary cluster. Throws with the server's log when it does not start. */
export async function startCluster(options: { durable: boolean; packaged: boolean }): Promise<PostgresCluster> {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-pg-'))
  const remove = () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  try {
    const account = process.getuid?.() === 0 ? getServerAccount() : undefined
    const binaries = getPostgresBinaries(folder, options.packaged)
    if (account) changeOwner(account, folder)
    const setup: ClusterSetup = { folder, data: join(folder, 'data'), account, binaries }
    const password = initialise(setup, options.durable ? baseSettings : { ...baseSettings, ...fastSettings })
    let running = await startOnFreePort(setup)
    const { port } = running
    return {
      url: `postgres://postgres:${password}@127.0.0.1:${port}/postgres`,
      origin: binaries.origin,
      kill: () => end(running.child, setup, 'SIGQUIT'),
      async restart() {
        await end(running.child, setup, 'SIGINT')
        running = await startOn(port, setup)
      },
      async stop() {
        await end(running.child, setup, 'SIGQUIT')
        remove()
      },
    }
  } catch (error) {
    remove()
    throw error
  }
}

function initialise(setup: ClusterSetup, settings: Record<string, string>): string {
  const password = randomBytes(18).toString('base64url')
  const passwordFile = join(setup.folder, 'password')
  writeFileSync(passwordFile, password, { mode: 0o600 })
  if (setup.account) chownSync(passwordFile, setup.account.uid, setup.account.gid)
  const args = ['-D', setup.data, '-U', 'postgres', '-A', 'scram-sha-256', '--pwfile', passwordFile]
  const created = spawnSync(setup.binaries.initdb, [...args, '-E', 'UTF8', '--locale=C', '--no-sync'], {
    ...processOptions(setup),
    encoding: 'utf8',
  })
  if (created.status !== 0)
    throw new Error(`initdb failed: ${created.error?.message ?? ''}${created.stderr}${created.stdout}`)
  const lines = Object.entries(settings).map(([name, value]) => `${name} = '${value}'\n`)
  appendFileSync(join(setup.data, 'postgresql.conf'), lines.join(''))
  return password
}

/** Tries another port when another process takes the free one first. */
async function startOnFreePort(setup: ClusterSetup): Promise<{ child: ChildProcess; port: number }> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await startOn(await findFreePort(), setup)
    } catch (error) {
      if (attempt === startTries || !String(error).includes('could not bind')) throw error
    }
  }
}

async function startOn(port: number, setup: ClusterSetup): Promise<{ child: ChildProcess; port: number }> {
  const command = [setup.binaries.postgres, '-D', setup.data, '-p', String(port)]
  const child = spawn('/bin/sh', ['-c', supervise, 'postgres', ...command], {
    ...processOptions(setup),
    detached: true,
    stdio: ['pipe', 'ignore', 'pipe'],
  })
  const { promise: ready, resolve, reject } = Promise.withResolvers<void>()
  let log = ''
  const fail = (why: string) => reject(new Error(`PostgreSQL of ${setup.binaries.origin} ${why}:\n${log}`))
  const timer = setTimeout(() => {
    fail(`was not ready after ${startTimeoutMs / 1000} s`)
    child.stdin.end()
  }, startTimeoutMs)
  child.once('error', (error) => fail(error.message))
  child.once('close', (code) => fail(`ended with ${code}`))
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    log = (log + chunk).slice(-20_000)
    if (log.includes('ready to accept connections')) resolve()
  })
  await ready.finally(() => clearTimeout(timer))
  // A test that forgets to stop the server must still end; the server ends with it.
  child.unref()
  for (const stream of [child.stdin, child.stderr]) (stream as unknown as { unref(): void }).unref()
  return { child, port }
}

async function end(child: ChildProcess, setup: ClusterSetup, signal: 'SIGQUIT' | 'SIGINT'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.ref()
  const ended = once(child, 'exit')
  process.kill(Number.parseInt(readFileSync(join(setup.data, 'postmaster.pid'), 'utf8'), 10), signal)
  await ended
  child.stdin?.destroy()
}

function processOptions({ folder, account, binaries }: ClusterSetup) {
  const env = { ...process.env, ...binaries.env, LC_ALL: 'C', CLUSTER_FOLDER: folder }
  return { cwd: folder, env, ...account }
}

/** PostgreSQL refuses to run as root, so it gets the account created for it, or any other. */
function getServerAccount(): Account {
  const accounts = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
    .map(([name, , uid, gid]) => ({ name, uid: Number(uid), gid: Number(gid) }))
    .filter(({ uid }) => uid > 0)
  const account = ['postgres', 'nobody'].map((name) => accounts.find((one) => one.name === name)).find(Boolean)
  if (!account) throw new Error('PostgreSQL does not run as root and there is no account postgres or nobody here')
  return { uid: account.uid, gid: account.gid }
}

function changeOwner({ uid, gid }: Account, folder: string): void {
  for (const path of ['', ...readdirSync(folder, { recursive: true, encoding: 'utf8' })]) {
    lchownSync(join(folder, path), uid, gid)
  }
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  if (address === null || typeof address === 'string') throw new TypeError('a TCP server has a port')
  return address.port
}
