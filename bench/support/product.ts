import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ensureCommand } from '../../tools/run/command.js'
import { type BareServer, startBareServer } from './bare-process.ts'
import { type BenchDatabase, createBenchDatabase, type DatabaseName } from './bench-database.ts'
import { buildRequest } from './build-request.ts'
import { sendOnce } from './connection.ts'
import type { MeasuredServer } from './measured-server.ts'
import { type ServerProcess, startServerProcess } from './server-process.ts'

export const MANAGEMENT = '/edge/management/v1'
export const CLIENT = '/edge/client/v1'
const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const ADMIN_PASSWORD = 'the-password-of-the-bench'

export interface Product extends MeasuredServer {
  readonly session: string
  readonly metricsUrl: string
  readonly identityProviderUrl: string | undefined
  /** From the start of the process to its ready line. */
  readonly startSeconds: number
  /** Sends a request as the administrator and returns the JSON of the response. Throws on an error status. */
  call(
    method: string,
    path: string,
    body?: unknown,
    headers?: Readonly<Record<string, string>>,
  ): Promise<{ data: Record<string, string> & { id: string }[] }>
  stop(): Promise<void>
}

/** A database on which the product can be started and stopped. */
export interface Installation {
  readonly database: BenchDatabase
  start(): Promise<Product>
}

interface Ready {
  readonly baseUrl: string
  readonly caFile: string
  readonly metricsUrl: string
  /** With development mode. */
  readonly identityProviderUrl?: string
}

/** Refusals and lists are measured too, all from one address, so the limiters are off. */
export const NO_LIMITS = {
  COUNTERSIGN_LIMITS_ADDRESS_BURST: '0',
  COUNTERSIGN_LIMITS_SIGNER_BURST: '0',
  COUNTERSIGN_LIMITS_QUERY_BURST: '0',
}

interface InstallationOptions {
  readonly settings?: Readonly<Record<string, string>>
  /** The script that starts the product, and its first arguments; by default the built command. */
  readonly command?: readonly string[]
}

/** Runs `work` with a bare server and an empty installation of the product. Stops and removes both afterwards. */
export async function withInstallation(
  databaseName: DatabaseName,
  work: (installation: Installation, bare: BareServer) => Promise<void>,
  { settings = NO_LIMITS, command }: InstallationOptions = {},
): Promise<void> {
  const database = await createBenchDatabase(databaseName)
  const { dataDir } = database
  const running = new Set<ServerProcess<Ready>>()
  const flags = ['--port', '0', '--data-dir', dataDir, '--json', '--log-level', 'error']
  const env = { COUNTERSIGN_ADMIN_PASSWORD: ADMIN_PASSWORD, ...database.settings, ...settings }
  // From its sources, the product would have 40 MiB more: Node strips their types in each thread.
  const args = command ?? [join(ROOT, await ensureCommand({ root: ROOT, node: process.execPath })), 'up']
  const start = async (): Promise<Product> => {
    const server = await startServerProcess<Ready>([...args, ...flags], env)
    running.add(server)
    const stop = async () => {
      if (running.delete(server)) await server.stop()
    }
    return buildProduct(server, stop)
  }
  const bare = await startBareServer()
  try {
    await work({ database, start }, bare)
  } finally {
    await Promise.all([...[...running].map((server) => server.stop()), bare.stop()])
    await database.remove()
  }
}

/** Like `withInstallation`, with the product started. */
export async function withServers(
  databaseName: DatabaseName,
  work: (product: Product, bare: BareServer) => Promise<void>,
): Promise<void> {
  await withInstallation(databaseName, async (installation, bare) => work(await installation.start(), bare))
}

async function buildProduct(server: ServerProcess<Ready>, stop: () => Promise<void>): Promise<Product> {
  const { baseUrl, caFile, metricsUrl, identityProviderUrl } = server.ready
  const address = { port: Number(new URL(baseUrl).port), ca: readFileSync(caFile, 'utf8'), pid: server.pid }
  const body = JSON.stringify({ username: 'admin', password: ADMIN_PASSWORD })
  const login = await sendOnce(address, buildRequest('POST', `${MANAGEMENT}/authenticate?method=password`, {}, body))
  const session = (login.json as { data: { token: string } }).data.token
  const call: Product['call'] = async (method, path, content, headers = {}) => {
    const text = content === undefined ? undefined : JSON.stringify(content)
    const { status, json } = await sendOnce(
      address,
      buildRequest(method, path, { 'zt-session': session, ...headers }, text),
    )
    if (status >= 300) throw new Error(`${method} ${path}: ${status} ${JSON.stringify(json)}`)
    return json as never
  }
  return { ...address, session, metricsUrl, identityProviderUrl, startSeconds: server.startSeconds, call, stop }
}
