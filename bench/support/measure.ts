import { runLoad } from './load.ts'
import { http, type Product, type Target } from './product.ts'
import { cpuMsOf } from './server-process.ts'

const CONNECTIONS = 32
const SECONDS = Number(process.env.BENCH_SECONDS ?? 4)
/** Before each figure; operations whose requests must differ keep so many in reserve. */
export const WARM_UP_REQUESTS = 4_000

/** One operation of the product, and what the bare server is asked beside it. */
export interface Operation {
  readonly operation: string
  readonly expectStatus: number
  request(): string
  /** Processor time of the server for one request that architecture.md aims at. */
  readonly aimCpuMs: number
  /** What the bare server gets: a body of the same size, or the same token to verify. */
  readonly bare?: { readonly body?: string; readonly headers?: Readonly<Record<string, string>> }
  /** How often the load generator may call `request`; without end unless given. */
  readonly maxRequests?: number
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

/** Measures operations one after the other, each beside the bare server in the same run, and prints the table. */
export async function measure(product: Product, bare: Target, operations: readonly Operation[]): Promise<void> {
  const rows: Row[] = []
  for (const operation of operations) {
    process.stderr.write(`${operation.operation} …\n`)
    rows.push(await measureOne(product, bare, operation))
  }
  console.table(rows.map(shown))
}

async function measureOne(product: Product, bare: Target, operation: Operation): Promise<Row> {
  const { request, expectStatus, maxRequests } = operation
  const load = { connections: CONNECTIONS, expectStatus, request, ...(maxRequests !== undefined && { maxRequests }) }
  // What is compiled on the way to speed is not what a request costs.
  await runLoad({ ...product, ...load, seconds: SECONDS / 4, maxRequests: WARM_UP_REQUESTS })
  const cpuBefore = cpuMsOf(product.pid)
  const result = await runLoad({ ...product, ...load, seconds: SECONDS })
  const cpuMs = (cpuMsOf(product.pid) - cpuBefore) / result.requests
  const headers = { ...operation.bare?.headers, 'x-answer-bytes': String(Math.max(0, result.bytesPerAnswer - 300)) }
  const bareRequest = http(operation.bare?.body ? 'POST' : 'GET', '/', headers, operation.bare?.body)
  const bareCpuBefore = cpuMsOf(bare.pid)
  const bareLoad = { connections: CONNECTIONS, seconds: SECONDS, expectStatus: 200, request: () => bareRequest }
  const bareResult = await runLoad({ ...bare, ...bareLoad })
  return {
    operation: operation.operation,
    perSecond: result.perSecond,
    cpuMs,
    p99Ms: result.p99Ms,
    barePerSecond: bareResult.perSecond,
    bareCpuMs: (cpuMsOf(bare.pid) - bareCpuBefore) / bareResult.requests,
    aimCpuMs: operation.aimCpuMs,
  }
}

function shown(row: Row) {
  return {
    operation: row.operation,
    'per s': Math.round(row.perSecond),
    'bare, per s': Math.round(row.barePerSecond),
    'of bare': `${Math.round((100 * row.perSecond) / row.barePerSecond)} %`,
    'CPU ms': row.cpuMs.toFixed(3),
    'bare CPU ms': row.bareCpuMs.toFixed(3),
    'aim CPU ms': row.aimCpuMs,
    'p99 ms': row.p99Ms.toFixed(1),
  }
}
