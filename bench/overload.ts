import { setTimeout as sleep } from 'node:timers/promises'
import type { Column, Row } from './report/result.ts'
import type { BenchPart, BenchRun } from './support/bench-run.ts'
import { type BenchSigner, createBenchSigner } from './support/bench-signer.ts'
import { readLagMs } from './support/event-loop-lag.ts'
import { benchIdentity, fillIdentities } from './support/fill-database.ts'
import type { FloodAnswers } from './support/flood.ts'
import { type Flood, startFlood } from './support/flood-process.ts'
import { http } from './support/http.ts'
import { inTurn } from './support/in-turn.ts'
import { signIn } from './support/login-operations.ts'
import { MANAGEMENT, type ProductHome, withHome } from './support/product.ts'
import { cpuMsOf, memoryMibOf } from './support/server-process.ts'
import { readAnswers, type SteadyFigures, startSteadyLoad } from './support/steady-load.ts'
import type { Target } from './support/target.ts'

const IDENTITIES = 500
const TOKENS = 10_000
const QUICK_TOKENS = 1_000
const CONNECTIONS = 32
const FLOOD_CONNECTIONS = 128
/** The good logins come from the usual one. */
const FLOOD_ADDRESSES = Array.from({ length: 8 }, (_, at) => `127.0.0.${at + 2}`)
const WARM_UP_SECONDS = 5
const MOST_ALONE_SECONDS = 30
const SAMPLE_MS = 1_000
const MOST_GROWTH_MIB = 64
/** Memory is compared with that after this part of the time: until then pools and bounded caches fill. */
const SETTLED_SHARE = 1 / 4

interface Phase extends SteadyFigures {
  readonly memoryMib: readonly number[]
  /** Processor time of the server, of one core. */
  readonly cpuPercent: number
  readonly flood?: { readonly perSecond: number; readonly answers: FloodAnswers } | undefined
}

/** Good logins at a steady rate, alone and beside garbage, at the product and at the bare server. */
export const overload: BenchPart = async (run) => {
  await withHome(async (home, bare) => {
    const signer = await fill(home)
    const product = await home.start()
    run.say('minting tokens')
    const tokens = Array.from({ length: run.options.isQuick ? QUICK_TOKENS : TOKENS }, (_, number) =>
      signer.mint(benchIdentity(number % IDENTITIES).externalId, number),
    )
    const logins = tokens.map(signIn)
    const bareLogins = [http('GET', '/', { ...signer.bareHeaders(tokens[0] ?? ''), 'x-answer-bytes': '1000' })]
    const long = run.options.minutes * 60
    const short = Math.min(long, MOST_ALONE_SECONDS)
    run.say('logins alone')
    await runPhase(run, product, logins, WARM_UP_SECONDS)
    const alone = await runPhase(run, product, logins, short)
    run.say(`logins beside ${run.options.garbage} garbage requests a second, for ${long} s`)
    await readLagMs(product.metricsUrl)
    const beside = await runPhase(run, product, logins, long, signer)
    const lagMs = await readLagMs(product.metricsUrl)
    run.say('the same at the bare server')
    await runPhase(run, bare, bareLogins, WARM_UP_SECONDS)
    const bareAlone = await runPhase(run, bare, bareLogins, short)
    const bareBeside = await runPhase(run, bare, bareLogins, short, signer)
    report(run, { alone, beside, bareAlone, bareBeside, lagMs })
  }, {})
}

async function fill(home: ProductHome): Promise<BenchSigner> {
  const product = await home.start()
  const signer = await createBenchSigner(product, 'bench')
  const template = { name: 'template', type: 'Default', isAdmin: false }
  const { data } = await product.call('POST', `${MANAGEMENT}/identities`, template)
  await product.stop()
  fillIdentities(home.databaseFile, (data as unknown as { id: string }).id, { from: 0, to: IDENTITIES })
  return signer
}

/** With a signer, garbage in its name is sent meanwhile. */
async function runPhase(
  { options }: BenchRun,
  { port, ca, pid }: Target,
  requests: readonly string[],
  seconds: number,
  signer?: BenchSigner,
): Promise<Phase> {
  const { garbage, logins } = options
  const order = { port, ca, perSecond: garbage, addresses: FLOOD_ADDRESSES, connections: FLOOD_CONNECTIONS }
  const flood: Flood | undefined = signer && (await startFlood({ ...order, signer }))
  const answers: [number, number][] = []
  const load = await startSteadyLoad({
    from: Array.from({ length: CONNECTIONS }, () => ({ port, ca })),
    perSecond: logins,
    request: inTurn(requests),
    onAnswer: (status, milliseconds) => void answers.push([status, milliseconds]),
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
  return { ...readAnswers(answers, 200), memoryMib, cpuPercent, flood: await flood?.stop() }
}

const COLUMNS: readonly Column[] = [
  { key: 'logins', title: 'logins', digits: 0 },
  { key: 'p50Ms', title: 'p50 ms', digits: 1 },
  { key: 'p99Ms', title: 'p99 ms', digits: 1 },
  { key: 'ratio', title: 'p99 to alone', digits: 2 },
  { key: 'failed', title: 'failed %', digits: 3 },
  { key: 'garbage', title: 'garbage answered/s', digits: 0 },
  { key: 'cpu', title: 'CPU % of a core', digits: 0 },
  { key: 'lagMs', title: 'loop lag p99 ms', digits: 1 },
]

interface Phases {
  readonly alone: Phase
  readonly beside: Phase
  readonly bareAlone: Phase
  readonly bareBeside: Phase
  readonly lagMs: number
}

function report(run: BenchRun, { alone, beside, bareAlone, bareBeside, lagMs }: Phases): void {
  const of = (phase: Phase, bare: Phase): Row['measures'] => ({
    logins: { value: phase.answers, bare: bare.answers },
    p50Ms: { value: phase.p50Ms, bare: bare.p50Ms },
    p99Ms: { value: phase.p99Ms, bare: bare.p99Ms },
    failed: { value: phase.failedPercent, bare: bare.failedPercent, aim: { atMost: 0.1 } },
    cpu: { value: phase.cpuPercent, bare: bare.cpuPercent },
  })
  const answers = Object.entries(beside.flood?.answers ?? {}).map(([status, count]) => `${count} times ${status}`)
  run.report({
    title: 'Overload',
    text: `${run.options.logins} good logins a second from one address, beside ${run.options.garbage} of garbage on ${FLOOD_CONNECTIONS} connections from ${FLOOD_ADDRESSES.length} others, with the usual limits: who is refused over and over is answered late, and what finds no connection free meanwhile is not sent. Server, logins and garbage share the machine; the bare server, offered the same, has no limits. The garbage was answered ${answers.join(', ')}.`,
    columns: COLUMNS,
    rows: [
      { name: 'logins alone', measures: of(alone, bareAlone) },
      {
        name: 'logins beside garbage',
        measures: {
          ...of(beside, bareBeside),
          ratio: {
            value: beside.p99Ms / alone.p99Ms,
            bare: bareBeside.p99Ms / bareAlone.p99Ms,
            aim: { atMost: 2 },
          },
          garbage: { value: beside.flood?.perSecond ?? 0, bare: bareBeside.flood?.perSecond ?? 0 },
          lagMs: { value: lagMs, aim: { atMost: 100 } },
        },
      },
    ],
    plots: [],
  })
  const { memoryMib } = beside
  const settled = memoryMib[Math.floor(memoryMib.length * SETTLED_SHARE)] ?? 0
  const last = memoryMib.at(-1) ?? 0
  run.report({
    title: 'Memory under garbage',
    text: `Resident memory of the server while garbage came for ${run.options.minutes} minutes; what it has grown by since a quarter of the time.`,
    columns: [
      { key: 'first', title: 'first MiB', digits: 0 },
      { key: 'settled', title: 'after a quarter', digits: 0 },
      { key: 'last', title: 'last', digits: 0 },
      { key: 'growth', title: 'grown by', digits: 0 },
    ],
    rows: [
      {
        name: 'server',
        measures: {
          first: { value: memoryMib[0] ?? 0 },
          settled: { value: settled },
          last: { value: last },
          growth: { value: last - settled, aim: { atMost: MOST_GROWTH_MIB } },
        },
      },
    ],
    plots: [
      {
        kind: 'lines',
        title: 'Memory, MiB',
        xTitle: 'seconds',
        isLog: false,
        series: [{ name: 'server', points: memoryMib.map((mib, second): [number, number] => [second, mib]) }],
      },
    ],
  })
}
