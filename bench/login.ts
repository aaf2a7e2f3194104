import type { BareServer } from './support/bare-process.ts'
import type { DatabaseName } from './support/bench-database.ts'
import type { BenchPart, BenchRun } from './support/bench-run.ts'
import { type BenchSigner, createBenchSigner, forgeToken } from './support/bench-signer.ts'
import { buildRequest } from './support/build-request.ts'
import { benchIdentity, fillSigners } from './support/fill-database.ts'
import { jwtLoginRequest } from './support/login-operations.ts'
import { MEMORY_COLUMNS, measureMemory } from './support/measure-memory.ts'
import { measureOperations, OPERATION_COLUMNS, type Operation } from './support/measure-operations.ts'
import { CLIENT, type Installation, withInstallation } from './support/product.ts'
import { roundRobin } from './support/round-robin.ts'
import { prepareSecondFactor } from './support/second-factor.ts'
import { requestsFor } from './support/split-requests.ts'
import { stopAndFill } from './support/stop-and-fill.ts'

const CONNECTIONS = 64
/** The signers that mint tokens; the others only fill the database. */
const MINTING_SIGNERS = 4

interface Scenario {
  readonly name: string
  readonly signers: number
  readonly identities: number
  /** The response lists all signers, so only the small scenario has targets. */
  readonly clientListTargets: Operation['targets']
}

const P99_TARGET = { p99Ms: { atMost: 25 } } as const

/** On PostgreSQL, calls per second depend on the database, which shares the machine. */
const TARGETS = {
  embedded: {
    distinct: { cpuMs: { atMost: 0.35 }, perSecond: { atLeast: 5_000 }, ofBare: { atLeast: 60 }, ...P99_TARGET },
    /** Three rules may cost 0.03 ms. */
    ruled: { cpuMs: { atMost: 0.38 }, ...P99_TARGET },
    repeated: { cpuMs: { atMost: 0.3 }, ...P99_TARGET },
    secondFactor: { cpuMs: { atMost: 0.15 }, perSecond: { atLeast: 5_000 }, ...P99_TARGET },
  },
  PostgreSQL: {
    distinct: { cpuMs: { atMost: 0.3 } },
    ruled: { cpuMs: { atMost: 0.33 } },
    repeated: { cpuMs: { atMost: 0.25 } },
    secondFactor: { cpuMs: { atMost: 0.15 } },
  },
} as const

const SCENARIOS: readonly Scenario[] = [
  {
    name: '10 signers, 500 identities',
    signers: 10,
    identities: 500,
    clientListTargets: { cpuMs: { atMost: 0.08 }, ...P99_TARGET },
  },
  { name: '1,000 signers, 10,000 identities', signers: 1_000, identities: 10_000, clientListTargets: {} },
]

/** Login by JWT with durable sessions, compared with a bare HTTPS server that verifies the token and returns as many bytes. */
export const login: BenchPart = async (run) => {
  for (const scenario of SCENARIOS) {
    for (const name of run.options.databases) {
      await withInstallation(name, (installation, bare) => measureScenario(run, scenario, installation, bare))
    }
  }
}

async function measureScenario(
  run: BenchRun,
  scenario: Scenario,
  installation: Installation,
  bare: BareServer,
): Promise<void> {
  const name = `${scenario.name} (${installation.database.name})`
  run.progress(name)
  const signers = await fill(installation, scenario)
  const product = await installation.start()
  const secondFactorRequests = await prepareSecondFactor(product, signers.rs256)
  const servers = { product, bare }
  const memory = [measureMemory('after setup', servers, 150)]
  run.progress('minting tokens')
  const operations = buildOperations(run, scenario, installation.database.name, signers, secondFactorRequests)
  const rows = await measureOperations(servers, operations, run)
  memory.push(measureMemory('after load', servers, 300))
  run.report({
    title: `Login: ${name}`,
    text: `Over TLS, sessions committed before the response is sent, ${CONNECTIONS} connections. The bare server verifies the token, if the request has one, and returns as many bytes.`,
    columns: OPERATION_COLUMNS,
    rows,
  })
  run.report({
    title: `Memory: ${name}`,
    text: 'Resident memory of the server before and after the calls above.',
    columns: MEMORY_COLUMNS,
    rows: memory,
  })
  await product.stop()
}

const RULES = {
  acceptRule:
    'claims.groups.exists(g, g == "sales") && glob(claims.iss, "https://*.example") && request.method == "POST"',
  attributeRules: ['claims.groups.map(g, "group-" + g)', 'has(claims.admin) ? ["admin"] : ["user"]'],
}

interface Signers {
  readonly rs256: BenchSigner
  readonly es256: BenchSigner
  /** Keeps attributes up to date. After the first login of each identity nothing changes. */
  readonly syncing: BenchSigner
  /** Has three rules. */
  readonly ruled: BenchSigner
}

async function fill(installation: Installation, { signers, identities }: Scenario): Promise<Signers> {
  const product = await installation.start()
  const rs256 = await createBenchSigner(product, 'rs256')
  const es256 = await createBenchSigner(product, 'es256', 'P-256')
  const sync = { attributeSync: 'login', enrollAttributeClaimsSelector: 'groups' }
  const syncing = await createBenchSigner(product, 'syncing', 'RSA', sync)
  const ruled = await createBenchSigner(product, 'ruled', 'RSA', RULES)
  await stopAndFill(product, installation, identities)
  await fillSigners(installation.database, es256.id, { from: MINTING_SIGNERS, to: signers })
  return { rs256, es256, syncing, ruled }
}

function buildOperations(
  run: BenchRun,
  scenario: Scenario,
  database: DatabaseName,
  { rs256, es256, syncing, ruled }: Signers,
  secondFactorRequests: string[],
): Operation[] {
  const count = requestsFor(run.options.seconds)
  const mintAll = (signer: BenchSigner) =>
    Array.from({ length: count }, (_, number) =>
      signer.mint(benchIdentity(number % scenario.identities).externalId, number),
    )
  const [distinctRs256, distinctEs256, distinctSynced] = [mintAll(rs256), mintAll(es256), mintAll(syncing)]
  const distinctRuled = mintAll(ruled)
  const [repeatedToken = ''] = distinctRs256
  const common = { expectStatus: 200, connections: CONNECTIONS, bare: { headers: rs256.bareHeaders(repeatedToken) } }
  const bareEs256 = { headers: es256.bareHeaders(distinctEs256[0] ?? '') }
  return [
    {
      operation: 'login by JWT, RS256, distinct tokens',
      ...common,
      request: roundRobin(distinctRs256.map(jwtLoginRequest)),
      maxRequests: count,
      targets: TARGETS[database].distinct,
    },
    {
      operation: 'login by JWT, RS256, attributes compared with the token',
      ...common,
      request: roundRobin(distinctSynced.map(jwtLoginRequest)),
      maxRequests: count,
      targets: TARGETS[database].distinct,
    },
    {
      operation: 'login by JWT, RS256, three rules',
      ...common,
      request: roundRobin(distinctRuled.map(jwtLoginRequest)),
      maxRequests: count,
      targets: TARGETS[database].ruled,
    },
    {
      operation: 'login by JWT, ES256, distinct tokens',
      ...common,
      bare: bareEs256,
      request: roundRobin(distinctEs256.map(jwtLoginRequest)),
      maxRequests: count,
      targets: P99_TARGET,
    },
    {
      operation: 'login, same token repeated',
      ...common,
      request: roundRobin([jwtLoginRequest(repeatedToken)]),
      targets: TARGETS[database].repeated,
    },
    {
      operation: 'login on a new TLS connection',
      ...common,
      reconnects: true,
      request: roundRobin([jwtLoginRequest(repeatedToken)]),
      targets: { cpuMs: { atMost: 1.8 } },
    },
    {
      operation: 'login refused (bad signature)',
      ...common,
      expectStatus: 401,
      request: roundRobin(distinctRs256.map(forgeToken).map(jwtLoginRequest)),
      maxRequests: count,
      targets: { cpuMs: { atMost: 0.2 }, ...P99_TARGET },
    },
    {
      operation: 'current identity, session and second factor',
      ...common,
      request: roundRobin(secondFactorRequests),
      targets: TARGETS[database].secondFactor,
    },
    {
      operation: 'client list of all signers',
      expectStatus: 200,
      connections: CONNECTIONS,
      request: roundRobin([buildRequest('GET', `${CLIENT}/external-jwt-signers`, {})]),
      targets: scenario.clientListTargets,
    },
  ]
}
