import { setTimeout as sleep } from 'node:timers/promises'
import type { Column, Row } from './report/result.ts'
import type { BenchPart, BenchRun } from './support/bench-run.ts'
import { type BenchSigner, createBenchSigner } from './support/bench-signer.ts'
import { buildRequest } from './support/build-request.ts'
import { readEventLoopLagMs } from './support/event-loop-lag.ts'
import { benchIdentity } from './support/fill-database.ts'
import type { FloodResponses } from './support/flood.ts'
import { type Flood, startFlood } from './support/flood-process.ts'
import { jwtLoginRequest } from './support/login-operations.ts'
import type { MeasuredServer } from './support/measured-server.ts'
import { type Installation, withInstallation } from './support/product.ts'
import { roundRobin } from './support/round-robin.ts'
import { cpuMsOf, memoryMibOf } from './support/server-process.ts'
import { type SteadyFigures, startSteadyLoad, summarizeResponses } from './support/steady-load.ts'
import { stopAndFill } from './support/stop-and-fill.ts'

const IDENTITIES = 500
const TOKENS = 10_000
const QUICK_TOKENS = 1_000
const CONNECTIONS = 32
const FLOOD_CONNECTIONS = 128
/** Addresses of the garbage requests. The logins come from 127.0.0.1. */
const FLOOD_ADDRESSES = Array.from({ length: 8 }, (_, at) => `127.0.0.${at + 2}`)
const WARM_UP_SECONDS = 5
const MAX_ALONE_SECONDS = 30
const SAMPLE_MS = 1_000
const MAX_GROWTH_MIB = 64
/** The baseline for memory growth is taken after this part of the time, when pools and bounded caches are full. */
const SETTLED_SHARE = 1 / 4

interface Phase extends SteadyFigures {
  readonly memoryMib: readonly number[]
  /** CPU time of the server as a percentage of one core. */
  readonly cpuPercent: number
  readonly flood?: { readonly perSecond: number; readonly responses: FloodResponses } | undefined
}

/** Valid logins at a constant rate, alone and together with garbage requests, to the product and to the bare server. */
export const overload: BenchPart = async (run) => {
  await withInstallation(
    'embedded',
    async (installation, bare) => {
      const signer = await fill(installation)
      const product = await installation.start()
      run.progress('minting tokens')
      const tokens = Array.from({ length: run.options.isQuick ? QUICK_TOKENS : TOKENS }, (_, number) =>
        signer.mint(benchIdentity(number % IDENTITIES).externalId, number),
      )
      const logins = tokens.map(jwtLoginRequest)
      const bareLogins = [
        buildRequest('GET', '/', { ...signer.bareHeaders(tokens[0] ?? ''), 'x-response-bytes': '1000' }),
      ]
      const fullSeconds = run.options.minutes * 60
      const aloneSeconds = Math.min(fullSeconds, MAX_ALONE_SECONDS)
      run.progress('logins alone')
      await runPhase(run, product, logins, WARM_UP_SECONDS)
      const alone = await runPhase(run, product, logins, aloneSeconds)
      run.progress(`logins with ${run.options.garbage} garbage requests per second, for ${fullSeconds} s`)
      await readEventLoopLagMs(product.metricsUrl)
      const withGarbage = await runPhase(run, product, logins, fullSeconds, signer)
      const lagMs = await readEventLoopLagMs(product.metricsUrl)
      run.progress('the same with the bare server')
      await runPhase(run, bare, bareLogins, WARM_UP_SECONDS)
      const bareAlone = await runPhase(run, bare, bareLogins, aloneSeconds)
      const bareWithGarbage = await runPhase(run, bare, bareLogins, aloneSeconds, signer)
      report(run, { alone, withGarbage, bareAlone, bareWithGarbage, lagMs })
    },
    { settings: {} },
  )
}

async function fill(installation: Installation): Promise<BenchSigner> {
  const product = await installation.start()
  const signer = await createBenchSigner(product, 'bench')
  await stopAndFill(product, installation, IDENTITIES)
  return signer
}

/** Sends garbage at the same time if `signer` is given; some of it names that signer. */
async function runPhase(
  { options }: BenchRun,
  { port, ca, pid }: MeasuredServer,
  requests: readonly string[],
  seconds: number,
  signer?: BenchSigner,
): Promise<Phase> {
  const { garbage, logins } = options
  const floodOptions = { port, ca, perSecond: garbage, addresses: FLOOD_ADDRESSES, connections: FLOOD_CONNECTIONS }
  const flood: Flood | undefined = signer && (await startFlood({ ...floodOptions, signer }))
  const responses: [number, number][] = []
  const load = await startSteadyLoad({
    from: Array.from({ length: CONNECTIONS }, () => ({ port, ca })),
    perSecond: logins,
    request: roundRobin(requests),
    onResponse: (status, milliseconds) => void responses.push([status, milliseconds]),
  })
  const before = cpuMsOf(pid)
  const started = performance.now()
  const memoryMib = [memoryMibOf(pid)]
  while (performance.now() - started < seconds * 1000) {
    await sleep(Math.min(SAMPLE_MS, seconds * 1000))
    memoryMib.push(memoryMibOf(pid))
  }
  const cpuPercent = (100 * (cpuMsOf(pid) - before)) / (performance.now() - started)
  await load.stop()
  return { ...summarizeResponses(responses, 200), memoryMib, cpuPercent, flood: await flood?.stop() }
}

const COLUMNS: readonly Column[] = [
  { key: 'logins', title: 'logins', digits: 0 },
  { key: 'p50Ms', title: 'p50 ms', digits: 1 },
  { key: 'p99Ms', title: 'p99 ms', digits: 1 },
  { key: 'ratio', title: 'p99 / alone', digits: 2 },
  { key: 'failed', title: 'failed %', digits: 3 },
  { key: 'garbage', title: 'garbage responses/s', digits: 0 },
  { key: 'cpu', title: 'CPU % of one core', digits: 0 },
  { key: 'lagMs', title: 'event loop lag p99 ms', digits: 1 },
]

interface Phases {
  readonly alone: Phase
  readonly withGarbage: Phase
  readonly bareAlone: Phase
  readonly bareWithGarbage: Phase
  readonly lagMs: number
}

function report(run: BenchRun, { alone, withGarbage, bareAlone, bareWithGarbage, lagMs }: Phases): void {
  const measuresOf = (phase: Phase, bare: Phase): Row['measures'] => ({
    logins: { value: phase.requests, bare: bare.requests },
    p50Ms: { value: phase.p50Ms, bare: bare.p50Ms },
    p99Ms: { value: phase.p99Ms, bare: bare.p99Ms },
    failed: { value: phase.failedPercent, bare: bare.failedPercent, target: { atMost: 0.1 } },
    cpu: { value: phase.cpuPercent, bare: bare.cpuPercent },
  })
  const counts = Object.entries(withGarbage.flood?.responses ?? {}).map(([status, count]) => `${count} with ${status}`)
  run.report({
    title: 'Overload',
    text: `${run.options.logins} valid logins per second from one address, together with ${run.options.garbage} garbage requests per second on ${FLOOD_CONNECTIONS} connections from ${FLOOD_ADDRESSES.length} other addresses. The default limits apply: repeated refusals are delayed, and a garbage request that finds no free connection is not sent. Server, logins and garbage share the machine. The bare server gets the same load and has no limits. Responses to the garbage: ${counts.join(', ')}.`,
    columns: COLUMNS,
    rows: [
      { name: 'logins alone', measures: measuresOf(alone, bareAlone) },
      {
        name: 'logins with garbage',
        measures: {
          ...measuresOf(withGarbage, bareWithGarbage),
          ratio: {
            value: withGarbage.p99Ms / alone.p99Ms,
            bare: bareWithGarbage.p99Ms / bareAlone.p99Ms,
            target: { atMost: 2 },
          },
          garbage: { value: withGarbage.flood?.perSecond ?? 0, bare: bareWithGarbage.flood?.perSecond ?? 0 },
          lagMs: { value: lagMs, target: { atMost: 100 } },
        },
      },
    ],
  })
  const { memoryMib } = withGarbage
  const settled = memoryMib[Math.floor(memoryMib.length * SETTLED_SHARE)] ?? 0
  const last = memoryMib.at(-1) ?? 0
  run.report({
    title: 'Memory under garbage',
    text: `Resident memory of the server during ${run.options.minutes} min of garbage. Growth is measured from a quarter of that time.`,
    columns: [
      { key: 'first', title: 'first MiB', digits: 0 },
      { key: 'settled', title: 'after a quarter', digits: 0 },
      { key: 'last', title: 'last', digits: 0 },
      { key: 'growth', title: 'growth', digits: 0 },
    ],
    rows: [
      {
        name: 'server',
        measures: {
          first: { value: memoryMib[0] ?? 0 },
          settled: { value: settled },
          last: { value: last },
          growth: { value: last - settled, target: { atMost: MAX_GROWTH_MIB } },
        },
      },
    ],
    samples: { memoryMib },
  })
}
