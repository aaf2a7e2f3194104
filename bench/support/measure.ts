import type { Aim, BarPlot, Column, Measure, Row } from '../report/result.ts'
import type { BenchRun } from './bench-run.ts'
import { http } from './http.ts'
import { type LoadResult, runLoad } from './load.ts'
import { median } from './percentile.ts'
import { cpuMsOf } from './server-process.ts'
import { splitRequests } from './split-requests.ts'
import type { Target } from './target.ts'

const CONNECTIONS = 32
/** Warming up takes at most so many times as long as measuring. */
const WARM_UP_TIMES = 2
/**
 * Product and bare server are measured in turn so often. Of each the round that took least processor time counts, since what else runs on
 * the host can only make it more; the share is the middle one of those of neighbours.
 */
const ROUNDS = 9

/** What the bare server's answers are longer than their bodies. */
const BARE_HEAD_BYTES = 157

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
  const load = { connections, isFresh, seconds: seconds * WARM_UP_TIMES, expectStatus, request, maxRequests: warmUp }
  const { bytesPerAnswer } = await runLoad({ ...product, ...load })
  const headers = {
    ...operation.bare?.headers,
    'x-answer-bytes': String(Math.max(0, bytesPerAnswer - BARE_HEAD_BYTES)),
  }
  const bareRequest = http(operation.bare?.body ? 'POST' : 'GET', '/', headers, operation.bare?.body)
  const bareLoad = { ...load, expectStatus: 200, request: () => bareRequest }
  await runLoad({ ...bare, ...bareLoad })
  const round = { seconds: seconds / ROUNDS, maxRequests: Math.floor(measured / ROUNDS) }
  const pairs: { ours: Round; bares: Round }[] = []
  for (let turn = 0; turn < ROUNDS; turn += 1) {
    const ours = await runTimed(product, { ...load, ...round })
    const bares = await runTimed(bare, { ...bareLoad, ...round, maxRequests: Number.POSITIVE_INFINITY })
    pairs.push({ ours, bares })
  }
  const found = pairs.map(({ ours }) => ours).reduce(better)
  const beside = pairs.map(({ bares }) => bares).reduce(better)
  const shares = pairs.map(({ ours, bares }) => (100 * ours.perSecond) / bares.perSecond)
  const measures: Record<string, Measure> = {
    perSecond: { value: found.perSecond, bare: beside.perSecond },
    ofBare: { value: median(shares) },
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
type Round = Pick<LoadResult, 'perSecond' | 'p99Ms'> & { readonly cpuMs: number }

function better(one: Round, other: Round): Round {
  return other.cpuMs < one.cpuMs ? other : one
}

/** The processor time is the server's own, all its threads together, without that of opening connections that are kept. */
async function runTimed(target: Target, load: TimedLoad): Promise<Round> {
  let before = 0
  const onOpen = (): void => {
    before = cpuMsOf(target.pid)
  }
  const result = await runLoad({ ...target, ...load, onOpen })
  return { ...result, cpuMs: (cpuMsOf(target.pid) - before) / Math.max(1, result.requests) }
}

/** Bars of one of the columns. */
export function plotColumn(title: string, rows: readonly Row[], key: string): BarPlot {
  const bars = rows.flatMap(({ name, measures: { [key]: measure } }) => (measure ? [{ name, measure }] : []))
  return { kind: 'bars', title, bars }
}
