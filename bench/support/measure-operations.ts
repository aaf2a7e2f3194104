import type { Column, Measure, Row, Target } from '../report/result.ts'
import type { BenchRun } from './bench-run.ts'
import { buildRequest } from './build-request.ts'
import { type LoadResult, runLoad } from './load.ts'
import type { MeasuredServer } from './measured-server.ts'
import { median } from './percentile.ts'
import { cpuMsOf } from './server-process.ts'
import { splitRequests } from './split-requests.ts'

const CONNECTIONS = 32
/** The warm-up lasts at most this multiple of the measuring time. */
const WARM_UP_FACTOR = 2
/**
 * Rounds per server; product and bare server alternate. The round with the least CPU time counts, because other load on the host can only
 * add to it. The share of the bare server is the median of the pairs.
 */
const ROUNDS = 9

/** The length of the bare server's response head. */
const BARE_HEAD_BYTES = 157

export const OPERATION_COLUMNS: readonly Column[] = [
  { key: 'perSecond', title: 'per s', digits: 0 },
  { key: 'ofBare', title: '% of bare', digits: 0 },
  { key: 'cpuMs', title: 'CPU ms', digits: 3 },
  { key: 'p99Ms', title: 'p99 ms', digits: 1 },
]

/** One operation of the product and the equivalent request to the bare server. */
export interface Operation {
  readonly operation: string
  readonly expectStatus: number
  request(): string
  /** By column key. */
  readonly targets: Readonly<Record<string, Target>>
  /** The bare server gets a body of the same size, or the same token to verify. */
  readonly bare?: { readonly body?: string; readonly headers?: Readonly<Record<string, string>> }
  /** The maximum number of calls of `request`, including the warm-up. Unlimited by default. */
  readonly maxRequests?: number
  readonly connections?: number
  /** Opens a new TLS connection for each request, also to the bare server. */
  readonly reconnects?: boolean
}

export interface Servers {
  readonly product: MeasuredServer
  readonly bare: MeasuredServer
}

/** Measures each operation, and the bare server in alternating rounds. */
export async function measureOperations(
  servers: Servers,
  operations: readonly Operation[],
  run: BenchRun,
): Promise<Row[]> {
  const rows: Row[] = []
  const wanted = operations.filter(({ operation }) => operation.includes(run.options.rows))
  for (const operation of wanted) {
    run.progress(operation.operation)
    rows.push(await measureOperation(servers, operation, run.options.seconds))
  }
  return rows
}

async function measureOperation({ product, bare }: Servers, operation: Operation, seconds: number): Promise<Row> {
  const { request, expectStatus, connections = CONNECTIONS, reconnects = false, targets } = operation
  const { warmUp, measured } = splitRequests(operation.maxRequests ?? Number.POSITIVE_INFINITY)
  const load = {
    connections,
    reconnects,
    seconds: seconds * WARM_UP_FACTOR,
    expectStatus,
    request,
    maxRequests: warmUp,
  }
  const { bytesPerResponse } = await runLoad({ ...product, ...load })
  const headers = {
    ...operation.bare?.headers,
    'x-response-bytes': String(Math.max(0, bytesPerResponse - BARE_HEAD_BYTES)),
  }
  const bareRequest = buildRequest(operation.bare?.body ? 'POST' : 'GET', '/', headers, operation.bare?.body)
  const bareLoad = { ...load, expectStatus: 200, request: () => bareRequest }
  await runLoad({ ...bare, ...bareLoad })
  const round = { seconds: seconds / ROUNDS, maxRequests: Math.floor(measured / ROUNDS) }
  const pairs: { productRound: Round; bareRound: Round }[] = []
  for (let count = 0; count < ROUNDS; count += 1) {
    const productRound = await runTimed(product, { ...load, ...round })
    const bareRound = await runTimed(bare, { ...bareLoad, ...round, maxRequests: Number.POSITIVE_INFINITY })
    pairs.push({ productRound, bareRound })
  }
  const best = pairs.map(({ productRound }) => productRound).reduce(better)
  const bareBest = pairs.map(({ bareRound }) => bareRound).reduce(better)
  const shares = pairs.map(({ productRound, bareRound }) => (100 * productRound.perSecond) / bareRound.perSecond)
  const measures: Record<string, Measure> = {
    perSecond: { value: best.perSecond, bare: bareBest.perSecond },
    ofBare: { value: median(shares) },
    cpuMs: { value: best.cpuMs, bare: bareBest.cpuMs },
    p99Ms: { value: best.p99Ms, bare: bareBest.p99Ms },
  }
  const withTargets = Object.entries(measures).map(([key, measure]) => {
    const target = targets[key]
    return [key, target ? { ...measure, target } : measure] as const
  })
  return { name: operation.operation, measures: Object.fromEntries(withTargets) }
}

type TimedLoad = Omit<Parameters<typeof runLoad>[0], keyof MeasuredServer>
type Round = Pick<LoadResult, 'perSecond' | 'p99Ms'> & { readonly cpuMs: number }

function better(one: Round, other: Round): Round {
  return other.cpuMs < one.cpuMs ? other : one
}

/** `cpuMs` is the CPU time of the server process per request, without opening kept connections. */
export async function runTimed(server: MeasuredServer, load: TimedLoad): Promise<Round> {
  let before = 0
  const onOpen = (): void => {
    before = cpuMsOf(server.pid)
  }
  const result = await runLoad({ ...server, ...load, onOpen })
  return { ...result, cpuMs: (cpuMsOf(server.pid) - before) / Math.max(1, result.requests) }
}
