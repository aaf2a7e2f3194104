import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type BareServer, startBareServer } from './bare-process.ts'
import { askOnce } from './connection.ts'
import { http } from './http.ts'
import { type ServerProcess, startServerProcess } from './server-process.ts'
import type { Target } from './target.ts'

export const MANAGEMENT = '/edge/management/v1'
export const CLIENT = '/edge/client/v1'
const CLI = fileURLToPath(new URL('../../packages/cli/bin/countersign.js', import.meta.url))
const ADMIN_PASSWORD = 'the-password-of-the-bench'

export interface Product extends Target {
  readonly session: string
  readonly metricsUrl: string
  /** From when its process was started until it said that it is ready. */
  readonly startSeconds: number
  /** One call as the administrator; gives the answer's JSON. Throws when it is refused. */
  call(method: string, path: string, body?: unknown): Promise<{ data: Record<string, string> & { id: string }[] }>
  stop(): Promise<void>
}

/** An embedded database of its own, on which the product can be started and stopped. */
export interface ProductHome {
  readonly databaseFile: string
  start(): Promise<Product>
}

interface Ready {
  readonly baseUrl: string
  readonly caFile: string
  readonly metricsUrl: string
}

/** Refusals are measured too, and all of them come from one address. */
export const NO_LIMITS = { COUNTERSIGN_LIMITS_ADDRESS_BURST: '0', COUNTERSIGN_LIMITS_SIGNER_BURST: '0' }

/** Runs `work` beside a bare server, with an empty home for the product; stops and removes all of it afterwards. */
export async function withHome(
  work: (home: ProductHome, bare: BareServer) => Promise<void>,
  settings: Readonly<Record<string, string>> = NO_LIMITS,
): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'countersign-bench-'))
  const remove = () => rmSync(dataDir, { recursive: true, force: true })
  process.once('exit', remove)
  const running = new Set<ServerProcess<Ready>>()
  const flags = ['--port', '0', '--data-dir', dataDir, '--json', '--log-level', 'error']
  const env = { COUNTERSIGN_ADMIN_PASSWORD: ADMIN_PASSWORD, ...settings }
  const start = async (): Promise<Product> => {
    const server = await startServerProcess<Ready>([CLI, 'up', ...flags], env)
    running.add(server)
    const stop = async () => {
      if (running.delete(server)) await server.stop()
    }
    return buildProduct(server, stop)
  }
  const bare = await startBareServer()
  try {
    await work({ databaseFile: join(dataDir, 'countersign.db'), start }, bare)
  } finally {
    await Promise.all([...[...running].map((server) => server.stop()), bare.stop()])
    process.off('exit', remove)
    remove()
  }
}

/** The same with the product running on it. */
export async function withServers(work: (product: Product, bare: BareServer) => Promise<void>): Promise<void> {
  await withHome(async (home, bare) => work(await home.start(), bare))
}

async function buildProduct(server: ServerProcess<Ready>, stop: () => Promise<void>): Promise<Product> {
  const { baseUrl, caFile, metricsUrl } = server.ready
  const target = { port: Number(new URL(baseUrl).port), ca: readFileSync(caFile, 'utf8'), pid: server.pid }
  const body = JSON.stringify({ username: 'admin', password: ADMIN_PASSWORD })
  const answer = await askOnce(target, http('POST', `${MANAGEMENT}/authenticate?method=password`, {}, body))
  const session = (answer.json as { data: { token: string } }).data.token
  const call: Product['call'] = async (method, path, content) => {
    const text = content === undefined ? undefined : JSON.stringify(content)
    const { status, json } = await askOnce(target, http(method, path, { 'zt-session': session }, text))
    if (status >= 300) throw new Error(`${method} ${path}: ${status} ${JSON.stringify(json)}`)
    return json as never
  }
  return { ...target, session, metricsUrl, startSeconds: server.startSeconds, call, stop }
}
