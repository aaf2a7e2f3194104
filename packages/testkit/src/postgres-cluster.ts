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
type Place = { folder: string; data: string; account: Account | undefined; binaries: PostgresBinaries }

/** A temporary cluster of ours. */
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

// The server ends and its files go when the pipe on stdin closes, that is when the process that wanted it is gone.
const supervise = `
exec 3<&0
"$@" 3<&- </dev/null & server=$!
{ cat <&3 >/dev/null; kill -QUIT $server; } 2>/dev/null & watch=$!
exec 3<&-
wait $server; code=$?
kill $watch 2>/dev/null || rm -rf "$CLUSTER_FOLDER"
exit $code`

/** Makes and starts a temporary cluster; throws with the server's own words when it does not come up. */
export async function startCluster(options: { durable: boolean; packaged: boolean }): Promise<PostgresCluster> {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-pg-'))
  const remove = () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  try {
    const account = process.getuid?.() === 0 ? getServerAccount() : undefined
    const binaries = getPostgresBinaries(folder, options.packaged)
    if (account) giveTo(account, folder)
    const place: Place = { folder, data: join(folder, 'data'), account, binaries }
    const password = initialise(place, options.durable ? baseSettings : { ...baseSettings, ...fastSettings })
    let running = await startAnywhere(place)
    const { port } = running
    return {
      url: `postgres://postgres:${password}@127.0.0.1:${port}/postgres`,
      origin: binaries.origin,
      kill: () => end(running.child, place, 'SIGQUIT'),
      async restart() {
        await end(running.child, place, 'SIGINT')
        running = await startOn(port, place)
      },
      async stop() {
        await end(running.child, place, 'SIGQUIT')
        remove()
      },
    }
  } catch (error) {
    remove()
    throw error
  }
}

function initialise(place: Place, settings: Record<string, string>): string {
  const password = randomBytes(18).toString('base64url')
  const passwordFile = join(place.folder, 'password')
  writeFileSync(passwordFile, password, { mode: 0o600 })
  if (place.account) chownSync(passwordFile, place.account.uid, place.account.gid)
  const args = ['-D', place.data, '-U', 'postgres', '-A', 'scram-sha-256', '--pwfile', passwordFile]
  const made = spawnSync(place.binaries.initdb, [...args, '-E', 'UTF8', '--locale=C', '--no-sync'], {
    ...processOptions(place),
    encoding: 'utf8',
  })
  if (made.status !== 0) throw new Error(`initdb failed: ${made.error?.message ?? ''}${made.stderr}${made.stdout}`)
  const lines = Object.entries(settings).map(([name, value]) => `${name} = '${value}'\n`)
  appendFileSync(join(place.data, 'postgresql.conf'), lines.join(''))
  return password
}

/** Another process may take a free port before the server does: then another one is tried. */
async function startAnywhere(place: Place): Promise<{ child: ChildProcess; port: number }> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await startOn(await findFreePort(), place)
    } catch (error) {
      if (attempt === startTries || !String(error).includes('could not bind')) throw error
    }
  }
}

async function startOn(port: number, place: Place): Promise<{ child: ChildProcess; port: number }> {
  const command = [place.binaries.postgres, '-D', place.data, '-p', String(port)]
  const child = spawn('/bin/sh', ['-c', supervise, 'postgres', ...command], {
    ...processOptions(place),
    detached: true,
    stdio: ['pipe', 'ignore', 'pipe'],
  })
  const { promise: ready, resolve, reject } = Promise.withResolvers<void>()
  let log = ''
  const fail = (why: string) => reject(new Error(`PostgreSQL of ${place.binaries.origin} ${why}:\n${log}`))
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
  // A test that forgets to stop the server must still be able to end; then the server ends too.
  child.unref()
  for (const stream of [child.stdin, child.stderr]) (stream as unknown as { unref(): void }).unref()
  return { child, port }
}

async function end(child: ChildProcess, place: Place, signal: 'SIGQUIT' | 'SIGINT'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.ref()
  const ended = once(child, 'exit')
  process.kill(Number.parseInt(readFileSync(join(place.data, 'postmaster.pid'), 'utf8'), 10), signal)
  await ended
  child.stdin?.destroy()
}

function processOptions({ folder, account, binaries }: Place) {
  const env = { ...process.env, ...binaries.env, LC_ALL: 'C', CLUSTER_FOLDER: folder }
  return { cwd: folder, env, ...account }
}

/** PostgreSQL refuses to run as root, so that it gets the account made for it, or any other. */
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

function giveTo({ uid, gid }: Account, folder: string): void {
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
