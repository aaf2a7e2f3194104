import type { Aim, BarPlot, Column, Measure, Row } from '../report/result.ts'
import type { BenchRun } from './bench-run.ts'
import { http } from './http.ts'
import { type LoadResult, runLoad } from './load.ts'
import type { Target } from './product.ts'
import { cpuMsOf } from './server-process.ts'
import { splitRequests } from './split-requests.ts'

const CONNECTIONS = 32
/** Warming up takes at most so many times as long as measuring. */
const WARM_UP_TIMES = 2

/** What is measured of every operation. */
export const OPERATION_COLUMNS: readonly Column[] = [
  { key: 'perSecond', title: 'per s', digits: 0 },
  { key: 'ofBare', title: '% of bare', digits: 0 },
  { key: 'cpuMs', title: 'CPU ms', digits: 3 },
  { key: 'p99Ms', title: 'p99 ms', digits: 1 },
]

/** One operation of the product, and what the bare server is asked beside it. */
export interface Operation {
  readonly operation: string
  readonly expectStatus: number
  request(): string
  /** By the key of their column. */
  readonly aims: Readonly<Record<string, Aim>>
  /** What the bare server gets: a body of the same size, or the same token to verify. */
  readonly bare?: { readonly body?: string; readonly headers?: Readonly<Record<string, string>> }
  /** How often `request` may be called, warming up included; without end unless given. */
  readonly maxRequests?: number
  readonly connections?: number
  /** A new TLS connection for each request, at the bare server too. */
  readonly isFresh?: boolean
}

export interface Servers {
  readonly product: Target
  readonly bare: Target
}

/** Measures operations one after the other, each beside the bare server in the same run. */
export async function measureOperations(
  servers: Servers,
  operations: readonly Operation[],
  run: BenchRun,
): Promise<Row[]> {
  const rows: Row[] = []
  for (const operation of operations) {
    run.say(operation.operation)
    rows.push(await measureOperation(servers, operation, run.options.seconds))
  }
  return rows
}

async function measureOperation({ product, bare }: Servers, operation: Operation, seconds: number): Promise<Row> {
  const { request, expectStatus, connections = CONNECTIONS, isFresh = false, aims } = operation
  const { warmUp, measured } = splitRequests(operation.maxRequests ?? Number.POSITIVE_INFINITY)
  const load = { connections, isFresh, seconds, expectStatus, request }
  await runLoad({ ...product, ...load, seconds: seconds * WARM_UP_TIMES, maxRequests: warmUp })
  const found = await runTimed(product, { ...load, maxRequests: measured })
  const headers = { ...operation.bare?.headers, 'x-answer-bytes': String(Math.max(0, found.bytesPerAnswer - 300)) }
  const bareRequest = http(operation.bare?.body ? 'POST' : 'GET', '/', headers, operation.bare?.body)
  const bareLoad = { ...load, expectStatus: 200, request: () => bareRequest }
  await runLoad({ ...bare, ...bareLoad, seconds: seconds * WARM_UP_TIMES, maxRequests: warmUp })
  const beside = await runTimed(bare, { ...bareLoad, maxRequests: Number.POSITIVE_INFINITY })
  const measures: Record<string, Measure> = {
    perSecond: { value: found.perSecond, bare: beside.perSecond },
    ofBare: { value: (100 * found.perSecond) / beside.perSecond },
    cpuMs: { value: found.cpuMs, bare: beside.cpuMs },
    p99Ms: { value: found.p99Ms, bare: beside.p99Ms },
  }
  const aimed = Object.entries(measures).map(([key, measure]) => {
    const aim = aims[key]
    return [key, aim ? { ...measure, aim } : measure] as const
  })
  return { name: operation.operation, measures: Object.fromEntries(aimed) }
}

type TimedLoad = Omit<Parameters<typeof runLoad>[0], keyof Target>

/** The processor time is the server's own, all its threads together. */
async function runTimed(target: Target, load: TimedLoad): Promise<LoadResult & { cpuMs: number }> {
  const before = cpuMsOf(target.pid)
  const result = await runLoad({ ...target, ...load })
  return { ...result, cpuMs: (cpuMsOf(target.pid) - before) / Math.max(1, result.requests) }
}

/** Bars of one of the columns. */
export function plotColumn(title: string, rows: readonly Row[], key: string): BarPlot {
  const bars = rows.flatMap(({ name, measures: { [key]: measure } }) => (measure ? [{ name, measure }] : []))
  return { kind: 'bars', title, bars }
}
