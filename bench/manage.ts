import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeTestCertificate } from '@countersign/testkit'
import { askOnce, runLoad } from './load.ts'
import { cpuMsOf, memoryMibOf, startServerProcess } from './server-process.ts'

const CONNECTIONS = 32
const SECONDS = Number(process.env.BENCH_SECONDS ?? 4)
const MANAGEMENT = '/edge/management/v1'
const CLI = new URL('../packages/cli/bin/countersign.js', import.meta.url).pathname

interface Ready {
  readonly baseUrl: string
  readonly caFile: string
  readonly admin: { readonly password: string }
}

interface Row {
  readonly operation: string
  readonly perSecond: number
  readonly cpuMs: number
  readonly p99Ms: number
  readonly barePerSecond: number
  readonly bareCpuMs: number
  readonly aimCpuMs: number
}

/** List, get and create of signers through the running product, each beside a bare HTTPS server that answers as many bytes. */
export async function run(): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'countersign-bench-'))
  const product = await startServerProcess<Ready>([
    CLI,
    'up',
    '--dev',
    '--port',
    '0',
    '--data-dir',
    dataDir,
    '--json',
    '--log-level',
    'warn',
  ])
  const certificate = makeTestCertificate({ kind: 'ec256', commonName: 'localhost' })
  const bare = await startServerProcess<{ port: number }>([new URL('./bare-server.ts', import.meta.url).pathname], {
    BARE_SERVER: JSON.stringify({
      cert: certificate.pem,
      key: certificate.privateKey.export({ type: 'pkcs8', format: 'pem' }),
    }),
  })
  try {
    await measure(product, { ...bare, ca: certificate.pem })
  } finally {
    await Promise.all([product.stop(), bare.stop()])
    rmSync(dataDir, { recursive: true, force: true })
  }
}

interface Product {
  readonly ready: Ready
  readonly pid: number
}

async function measure(product: Product, bare: { ready: { port: number }; pid: number; ca: string }): Promise<void> {
  const { baseUrl, caFile, admin } = product.ready
  const port = Number(new URL(baseUrl).port)
  const ca = readFileSync(caFile, 'utf8')
  const send = async (text: string, expectStatus: number) => {
    return runLoad({ port, ca, connections: 1, seconds: 0.001, expectStatus, request: () => text })
  }
  const session = await logIn({ port, ca }, admin.password)
  const headers = { 'zt-session': session }
  let made = 0
  const create = (): string => http('POST', `${MANAGEMENT}/ext-jwt-signers`, headers, JSON.stringify(signer(made++)))
  for (let index = 0; index < 10; index++) await send(create(), 201)
  const id = await firstSignerId({ port, ca }, session)

  const operations = [
    {
      operation: 'client list (10 signers)',
      request: () => http('GET', '/edge/client/v1/external-jwt-signers', {}),
      expectStatus: 200,
      aimCpuMs: 0.08,
    },
    {
      operation: 'get one signer',
      request: () => http('GET', `${MANAGEMENT}/ext-jwt-signers/${id}`, headers),
      expectStatus: 200,
      aimCpuMs: 0.1,
    },
    {
      operation: 'list signers, 10 a page',
      request: () => http('GET', `${MANAGEMENT}/ext-jwt-signers`, headers),
      expectStatus: 200,
      aimCpuMs: 0.2,
    },
    {
      operation: 'a call with a session',
      request: () => http('GET', `${MANAGEMENT}/current-api-session`, headers),
      expectStatus: 200,
      aimCpuMs: 0.1,
    },
    { operation: 'create signer, durable', request: create, expectStatus: 201, aimCpuMs: 0.4 },
  ]
  const rows: Row[] = []
  for (const { operation, request, expectStatus, aimCpuMs } of operations) {
    process.stderr.write(`${operation} …\n`)
    await runLoad({ port, ca, connections: CONNECTIONS, seconds: SECONDS / 4, request, expectStatus })
    const cpuBefore = cpuMsOf(product.pid)
    const result = await runLoad({ port, ca, connections: CONNECTIONS, seconds: SECONDS, request, expectStatus })
    const cpuMs = (cpuMsOf(product.pid) - cpuBefore) / result.requests
    const body = expectStatus === 201 ? JSON.stringify(signer(0)) : undefined
    const bareRequest = http(
      body ? 'POST' : 'GET',
      '/',
      { 'x-answer-bytes': String(result.bytesPerAnswer - 300) },
      body,
    )
    const bareCpuBefore = cpuMsOf(bare.pid)
    const bareLoad = {
      port: bare.ready.port,
      ca: bare.ca,
      connections: CONNECTIONS,
      seconds: SECONDS,
      expectStatus: 200,
    }
    const bareResult = await runLoad({ ...bareLoad, request: () => bareRequest })
    const bareCpuMs = (cpuMsOf(bare.pid) - bareCpuBefore) / bareResult.requests
    rows.push({
      operation,
      perSecond: result.perSecond,
      cpuMs,
      p99Ms: result.p99Ms,
      barePerSecond: bareResult.perSecond,
      bareCpuMs,
      aimCpuMs,
    })
  }
  print(rows, memoryMibOf(product.pid))
}

function print(rows: readonly Row[], memoryMib: number): void {
  console.table(
    rows.map((row) => ({
      operation: row.operation,
      'per s': Math.round(row.perSecond),
      'bare, per s': Math.round(row.barePerSecond),
      'of bare': `${Math.round((100 * row.perSecond) / row.barePerSecond)} %`,
      'CPU ms': row.cpuMs.toFixed(3),
      'bare CPU ms': row.bareCpuMs.toFixed(3),
      'aim CPU ms': row.aimCpuMs,
      'p99 ms': row.p99Ms.toFixed(1),
    })),
  )
  console.log(`memory of the server after the load: ${Math.round(memoryMib)} MiB`)
}

function signer(number: number) {
  return {
    name: `signer ${number}`,
    enabled: number < 10,
    issuer: `https://${number}.example`,
    audience: 'edge',
    jwksEndpoint: `https://${number}.example/jwks`,
    claimsProperty: 'email',
    useExternalId: true,
  }
}

function http(method: string, path: string, headers: Readonly<Record<string, string>>, body?: string): string {
  const all =
    body === undefined
      ? headers
      : { ...headers, 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return `${method} ${path} HTTP/1.1\r\nhost: localhost\r\n${lines.join('')}\r\n${body ?? ''}`
}

interface Target {
  readonly port: number
  readonly ca: string
}

async function logIn(target: Target, password: string): Promise<string> {
  const body = JSON.stringify({ username: 'admin', password })
  const answer = await askOnce(target, http('POST', `${MANAGEMENT}/authenticate?method=password`, {}, body))
  return (answer as { data: { token: string } }).data.token
}

async function firstSignerId(target: Target, session: string): Promise<string> {
  const answer = await askOnce(target, http('GET', `${MANAGEMENT}/ext-jwt-signers`, { 'zt-session': session }))
  return (answer as { data: { id: string }[] }).data[0]?.id ?? ''
}
