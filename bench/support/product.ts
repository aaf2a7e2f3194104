import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { makeTestCertificate } from '@countersign/testkit'
import { askOnce } from './load.ts'
import { startServerProcess } from './server-process.ts'

export const MANAGEMENT = '/edge/management/v1'
const CLI = fileURLToPath(new URL('../../packages/cli/bin/countersign.js', import.meta.url))
const BARE_SERVER = fileURLToPath(new URL('./bare-server.ts', import.meta.url))
const ADMIN_PASSWORD = 'the-password-of-the-bench'

/** A server in a process of its own, and how to reach it. */
export interface Target {
  readonly port: number
  readonly ca: string
  readonly pid: number
}

export interface Product extends Target {
  readonly session: string
  readonly dataDir: string
  /** One call as the administrator; gives the answer's JSON. */
  call(method: string, path: string, body?: unknown): Promise<{ data: Record<string, string> & { id: string }[] }>
}

interface Ready {
  readonly baseUrl: string
  readonly caFile: string
}

/** Runs `work` beside the running product on an empty embedded database and the bare server, and stops both. */
export async function withServers(work: (product: Product, bare: Target) => Promise<void>): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'countersign-bench-'))
  const flags = ['--dev', '--port', '0', '--data-dir', dataDir, '--json', '--log-level', 'error']
  // Refusals are measured too, and all of them come from one address.
  const unlimited = { COUNTERSIGN_LIMITS_ADDRESS_BURST: '0', COUNTERSIGN_LIMITS_SIGNER_BURST: '0' }
  const env = { COUNTERSIGN_ADMIN_PASSWORD: ADMIN_PASSWORD, ...unlimited }
  const product = await startServerProcess<Ready>([CLI, 'up', ...flags], env)
  const certificate = makeTestCertificate({ kind: 'ec256', commonName: 'localhost' })
  const key = certificate.privateKey.export({ type: 'pkcs8', format: 'pem' })
  const bare = await startServerProcess<{ port: number }>([BARE_SERVER], {
    BARE_SERVER: JSON.stringify({ cert: certificate.pem, key }),
  })
  try {
    const { baseUrl, caFile } = product.ready
    const target = { port: Number(new URL(baseUrl).port), ca: readFileSync(caFile, 'utf8'), pid: product.pid }
    await work(await logIn(target, dataDir), { port: bare.ready.port, ca: certificate.pem, pid: bare.pid })
  } finally {
    await Promise.all([product.stop(), bare.stop()])
    rmSync(dataDir, { recursive: true, force: true })
  }
}

async function logIn(target: Target, dataDir: string): Promise<Product> {
  const body = JSON.stringify({ username: 'admin', password: ADMIN_PASSWORD })
  const answer = await askOnce(target, http('POST', `${MANAGEMENT}/authenticate?method=password`, {}, body))
  const session = (answer as { data: { token: string } }).data.token
  const call: Product['call'] = async (method, path, content) => {
    const text = content === undefined ? undefined : JSON.stringify(content)
    return (await askOnce(target, http(method, path, { 'zt-session': session }, text))) as never
  }
  return { ...target, session, dataDir, call }
}

/** A whole request as it goes over the wire. */
export function http(method: string, path: string, headers: Readonly<Record<string, string>>, body?: string): string {
  const length = { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body ?? '')) }
  const lines = Object.entries({ ...headers, ...(body !== undefined && length) }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  )
  return `${method} ${path} HTTP/1.1\r\nhost: localhost\r\n${lines.join('')}\r\n${body ?? ''}`
}
