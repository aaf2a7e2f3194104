import type { Column, Row } from './report/result.ts'
import type { BenchPart, BenchRun } from './support/bench-run.ts'
import { type BenchSigner, createBenchSigner } from './support/bench-signer.ts'
import { buildRequest } from './support/build-request.ts'
import { type LoadConnection, openConnection, sendOnce } from './support/connection.ts'
import { jwtLoginRequest } from './support/login-operations.ts'
import { runTimed } from './support/measure-operations.ts'
import { logInByOidc } from './support/oidc-login.ts'
import { CLIENT, type Installation, MANAGEMENT, NO_LIMITS, type Product, withInstallation } from './support/product.ts'
import { roundRobin } from './support/round-robin.ts'
import { cpuMsOf } from './support/server-process.ts'

const IDENTITIES = 100
const CONNECTIONS = 64
const ROUNDS = 9
/** What an access token may add to a call, and how many times a direct login one through the provider may cost. */
const MAX_ADDED_MS = 0.02
const MAX_TIMES = 3
const COLUMNS: readonly Column[] = [{ key: 'cpuMs', title: 'CPU ms', digits: 3 }]
const IN_TURNS = `${CONNECTIONS} connections; ${ROUNDS} rounds in turns: the least CPU time of each.`
const EXTERNAL_ID = (number: number): string => `oidc-${number}@bench.example`
const LIMITS = { ...NO_LIMITS, COUNTERSIGN_LIMITS_LOGIN_BURST: '0' }

/** Sessions of the OpenID provider, compared with those by session token: calls, and logins by JWT. */
export const oidc: BenchPart = async (run) => {
  for (const name of run.options.databases) {
    await withInstallation(name, (installation) => measureSessions(run, installation), {
      settings: LIMITS,
    })
  }
}

async function measureSessions(run: BenchRun, installation: Installation): Promise<void> {
  const product = await installation.start()
  const signer = await createBenchSigner(product, 'oidc')
  for (let number = 0; number < IDENTITIES; number++) {
    const externalId = EXTERNAL_ID(number)
    const identity = { name: externalId, type: 'Default', isAdmin: false, externalId }
    await product.call('POST', `${MANAGEMENT}/identities`, identity)
  }
  await reportCalls(run, product, signer)
  await reportLogins(run, product, signer)
  await product.stop()
}

async function reportCalls(run: BenchRun, product: Product, signer: BenchSigner): Promise<void> {
  const { bySession, byToken } = await buildCalls(product, signer)
  const caseOf = (name: string, requests: readonly string[]): Case => {
    const load = { connections: CONNECTIONS, expectStatus: 200, request: roundRobin(requests), maxRequests: Infinity }
    return { name, measure: async (seconds) => (await runTimed(product, { ...load, seconds })).cpuMs }
  }
  const cases = [caseOf('call with a session token', bySession), caseOf('call with an access token', byToken)] as const
  const [bySessionMs, byTokenMs] = await measureInTurns(run, cases)
  run.report({
    title: 'Calls with a session token and with an access token',
    text: `${IDENTITIES} identities with a session of each kind. ${IN_TURNS}`,
    columns: [...COLUMNS, { key: 'addedMs', title: 'added ms', digits: 3 }],
    rows: [
      rowOf(cases[0].name, bySessionMs),
      rowOf(cases[1].name, byTokenMs, {
        addedMs: { value: byTokenMs - bySessionMs, target: { atMost: MAX_ADDED_MS } },
      }),
    ],
  })
}

async function buildCalls(product: Product, signer: BenchSigner) {
  const path = `${CLIENT}/current-identity`
  const connection = await openConnection(product)
  const bySession: string[] = []
  const byToken: string[] = []
  for (let number = 0; number < IDENTITIES; number++) {
    const jwt = signer.mint(EXTERNAL_ID(number))
    const { json } = await sendOnce(product, jwtLoginRequest(jwt))
    bySession.push(buildRequest('GET', path, { 'zt-session': (json as { data: { token: string } }).data.token }))
    const accessToken = await logInByOidc(connection, product, jwt)
    byToken.push(buildRequest('GET', path, { authorization: `Bearer ${accessToken}` }))
  }
  connection.close()
  return { bySession, byToken }
}

type LogIn = (connection: LoadConnection, jwt: string) => Promise<unknown>

async function reportLogins(run: BenchRun, product: Product, signer: BenchSigner): Promise<void> {
  const direct = async (connection: LoadConnection, jwt: string) => {
    const { status } = await connection.send(jwtLoginRequest(jwt))
    if (status !== 200) throw new Error(`login: ${status}`)
  }
  const byOidc = (connection: LoadConnection, jwt: string) => logInByOidc(connection, product, jwt)
  const caseOf = (name: string, logIn: LogIn): Case => ({
    name,
    measure: (seconds) => measureLogins({ product, signer, logIn, seconds }),
  })
  const cases = [caseOf('login by JWT', direct), caseOf('login by JWT through the OpenID provider', byOidc)] as const
  const [directMs, byOidcMs] = await measureInTurns(run, cases)
  run.report({
    title: 'Logins by JWT, directly and through the OpenID provider',
    text: `The login through the provider makes five requests. ${IN_TURNS}`,
    columns: [...COLUMNS, { key: 'times', title: 'times a direct login', digits: 2 }],
    rows: [
      rowOf(cases[0].name, directMs),
      rowOf(cases[1].name, byOidcMs, { times: { value: byOidcMs / directMs, target: { atMost: MAX_TIMES } } }),
    ],
  })
}

interface Case {
  readonly name: string
  /** Resolves to the CPU time per request, or login. */
  measure(seconds: number): Promise<number>
}

/**
 * Measures two cases in alternating rounds, because the load of others on the host changes. Returns the least CPU time of each: other load can only
 * add to it.
 */
async function measureInTurns(run: BenchRun, [one, other]: readonly [Case, Case]): Promise<readonly [number, number]> {
  const { seconds } = run.options
  let least: readonly [number, number] = [Infinity, Infinity]
  for (const { name, measure } of [one, other]) {
    run.progress(`${name}: warming up`)
    await measure(seconds)
  }
  for (let round = 1; round <= ROUNDS; round++) {
    run.progress(`${one.name}, ${other.name}: round ${round} of ${ROUNDS}`)
    least = [
      Math.min(least[0], await one.measure(seconds / ROUNDS)),
      Math.min(least[1], await other.measure(seconds / ROUNDS)),
    ]
  }
  return least
}

function rowOf(name: string, cpuMs: number, further: Row['measures'] = {}): Row {
  return { name, measures: { cpuMs: { value: cpuMs }, ...further } }
}

interface LoginLoad {
  readonly product: Product
  readonly signer: BenchSigner
  readonly logIn: LogIn
  readonly seconds: number
}

/** Returns the CPU time of the server per login. */
async function measureLogins({ product, signer, logIn, seconds }: LoginLoad): Promise<number> {
  const connections = await Promise.all(Array.from({ length: CONNECTIONS }, () => openConnection(product)))
  const end = performance.now() + seconds * 1000
  const before = cpuMsOf(product.pid)
  let count = 0
  await Promise.all(
    connections.map(async (connection) => {
      while (performance.now() < end) {
        await logIn(connection, signer.mint(EXTERNAL_ID(count % IDENTITIES), Math.random()))
        count += 1
      }
    }),
  )
  const cpuMs = (cpuMsOf(product.pid) - before) / count
  for (const connection of connections) connection.close()
  return cpuMs
}
