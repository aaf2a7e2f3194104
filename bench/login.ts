import type { BenchPart, BenchRun } from './support/bench-run.ts'
import { type BenchSigner, createBenchSigner, forgeToken } from './support/bench-signer.ts'
import { benchIdentity, fillIdentities, fillSigners } from './support/fill-database.ts'
import { http } from './support/http.ts'
import { inTurn } from './support/in-turn.ts'
import { signIn } from './support/login-operations.ts'
import { measureOperations, OPERATION_COLUMNS, type Operation, plotColumn } from './support/measure.ts'
import { MEMORY_COLUMNS, measureMemory } from './support/memory-section.ts'
import { CLIENT, MANAGEMENT, type ProductHome, withHome } from './support/product.ts'
import { prepareSecondFactor } from './support/second-factor.ts'
import { requestsFor } from './support/split-requests.ts'

const CONNECTIONS = 64
/** Those that tokens are minted for; the others are filled in beside them. */
const OWN_SIGNERS = 2

interface World {
  readonly name: string
  readonly signers: number
  readonly identities: number
  /** The list is as long as there are signers, and its aim is for the short one. */
  readonly clientListAims: Operation['aims']
}

const AIM_P99 = { p99Ms: { atMost: 25 } } as const

const WORLDS: readonly World[] = [
  {
    name: '10 signers, 500 identities',
    signers: 10,
    identities: 500,
    clientListAims: { cpuMs: { atMost: 0.08 }, ...AIM_P99 },
  },
  { name: '1,000 signers, 10,000 identities', signers: 1_000, identities: 10_000, clientListAims: {} },
]

/** Sign-in by JWT with durable sessions, beside a bare HTTPS server that only verifies the token and answers as many bytes. */
export const login: BenchPart = async (run) => {
  for (const world of WORLDS) await withHome(async (home, bare) => measureWorld(run, world, home, bare))
}

async function measureWorld(run: BenchRun, world: World, ...[home, bare]: Parameters<Parameters<typeof withHome>[0]>) {
  run.say(world.name)
  const signers = await fill(home, world)
  const product = await home.start()
  const careful = await prepareSecondFactor(product, signers.rs256)
  const servers = { product, bare }
  const memory = [measureMemory('after set-up', servers, 150)]
  run.say('minting tokens')
  const operations = buildOperations(run, world, signers, careful)
  const rows = await measureOperations(servers, operations, run)
  memory.push(measureMemory('after load', servers, 300))
  run.report({
    title: `Signing in: ${world.name}`,
    text: `Over TLS, sessions durable before they are answered, ${CONNECTIONS} connections. The bare server verifies the token where there is one and answers as many bytes.`,
    columns: OPERATION_COLUMNS,
    rows,
    plots: [
      plotColumn('Processor time of one call, ms', rows, 'cpuMs'),
      plotColumn('Calls a second', rows, 'perSecond'),
      plotColumn('99th percentile of the time to answer, ms', rows, 'p99Ms'),
    ],
  })
  run.report({
    title: `Memory: ${world.name}`,
    text: 'Resident memory of the server before and after the calls above.',
    columns: MEMORY_COLUMNS,
    rows: memory,
    plots: [],
  })
  await product.stop()
}

interface Signers {
  readonly rs256: BenchSigner
  readonly es256: BenchSigner
}

async function fill(home: ProductHome, { signers, identities }: World): Promise<Signers> {
  const product = await home.start()
  const rs256 = await createBenchSigner(product, 'rs256')
  const es256 = await createBenchSigner(product, 'es256', 'P-256')
  const template = { name: 'template', type: 'Default', isAdmin: false }
  const { data } = await product.call('POST', `${MANAGEMENT}/identities`, template)
  await product.stop()
  fillIdentities(home.databaseFile, (data as unknown as { id: string }).id, { from: 0, to: identities })
  fillSigners(home.databaseFile, es256.id, { from: OWN_SIGNERS, to: signers })
  return { rs256, es256 }
}

function buildOperations(run: BenchRun, world: World, { rs256, es256 }: Signers, careful: string[]): Operation[] {
  const count = requestsFor(run.options.seconds)
  const mintAll = (signer: BenchSigner) =>
    Array.from({ length: count }, (_, number) =>
      signer.mint(benchIdentity(number % world.identities).externalId, number),
    )
  const [distinctRs256, distinctEs256] = [mintAll(rs256), mintAll(es256)]
  const once = distinctRs256[0] ?? ''
  const common = { expectStatus: 200, connections: CONNECTIONS, bare: { headers: rs256.bareHeaders(once) } }
  const bareEs256 = { headers: es256.bareHeaders(distinctEs256[0] ?? '') }
  return [
    {
      operation: 'login by JWT, RS256, distinct tokens',
      ...common,
      request: inTurn(distinctRs256.map(signIn)),
      maxRequests: count,
      aims: { cpuMs: { atMost: 0.35 }, perSecond: { atLeast: 5_000 }, ofBare: { atLeast: 60 }, ...AIM_P99 },
    },
    {
      operation: 'login by JWT, ES256, distinct tokens',
      ...common,
      bare: bareEs256,
      request: inTurn(distinctEs256.map(signIn)),
      maxRequests: count,
      aims: AIM_P99,
    },
    {
      operation: 'login, same token again',
      ...common,
      request: inTurn([signIn(once)]),
      aims: { cpuMs: { atMost: 0.3 }, ...AIM_P99 },
    },
    {
      operation: 'login on a new TLS connection',
      ...common,
      isFresh: true,
      request: inTurn([signIn(once)]),
      aims: { cpuMs: { atMost: 1.8 } },
    },
    {
      operation: 'login refused (bad signature)',
      ...common,
      expectStatus: 401,
      request: inTurn(distinctRs256.map(forgeToken).map(signIn)),
      maxRequests: count,
      aims: { cpuMs: { atMost: 0.2 }, ...AIM_P99 },
    },
    {
      operation: 'current identity, session and second factor',
      ...common,
      request: inTurn(careful),
      aims: { cpuMs: { atMost: 0.15 }, perSecond: { atLeast: 5_000 }, ...AIM_P99 },
    },
    {
      operation: 'client list of all signers',
      expectStatus: 200,
      connections: CONNECTIONS,
      request: inTurn([http('GET', `${CLIENT}/external-jwt-signers`, {})]),
      aims: world.clientListAims,
    },
  ]
}
