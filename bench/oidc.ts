import type { Column, Row } from './report/result.ts'
import type { BenchPart, BenchRun } from './support/bench-run.ts'
import { type BenchSigner, createBenchSigner } from './support/bench-signer.ts'
import { buildRequest } from './support/build-request.ts'
import { type LoadConnection, openConnection, sendOnce } from './support/connection.ts'
import { jwtLoginRequest } from './support/login-operations.ts'
import { logInByOidc } from './support/oidc-login.ts'
import { CLIENT, type Installation, MANAGEMENT, NO_LIMITS, type Product, withInstallation } from './support/product.ts'
import { roundRobin } from './support/round-robin.ts'
import { cpuMsOf } from './support/server-process.ts'

const IDENTITIES = 100
const CONNECTIONS = 64
/** The load of others on the host changes from second to second: in turns as short as this, it meets both cases alike. */
const TURN_SECONDS = 0.25
/** What an access token may add to a call, and how many times a direct login one through the provider may cost. */
const MAX_ADDED_MS = 0.02
const MAX_TIMES = 3
const COLUMNS: readonly Column[] = [{ key: 'cpuMs', title: 'CPU ms', digits: 3 }]
const IN_TURNS = `${CONNECTIONS} connections, in turns of ${TURN_SECONDS} seconds.`
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
    const next = roundRobin(requests)
    return { name, send: async (connection) => expectOk(await connection.send(next())) }
  }
  const cases = [caseOf('call with a session token', bySession), caseOf('call with an access token', byToken)] as const
  const [bySessionMs, byTokenMs] = await measureInTurns(run, product, cases)
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

async function reportLogins(run: BenchRun, product: Product, signer: BenchSigner): Promise<void> {
  let count = 0
  const mint = (): string => signer.mint(EXTERNAL_ID(count++ % IDENTITIES), Math.random())
  const direct: Case = {
    name: 'login by JWT',
    send: async (connection) => expectOk(await connection.send(jwtLoginRequest(mint()))),
  }
  const byOidc: Case = {
    name: 'login by JWT through the OpenID provider',
    send: (connection) => logInByOidc(connection, product, mint()),
  }
  const [directMs, byOidcMs] = await measureInTurns(run, product, [direct, byOidc])
  run.report({
    title: 'Logins by JWT, directly and through the OpenID provider',
    text: `The login through the provider makes five requests. ${IN_TURNS}`,
    columns: [...COLUMNS, { key: 'times', title: 'times a direct login', digits: 2 }],
    rows: [
      rowOf(direct.name, directMs),
      rowOf(byOidc.name, byOidcMs, { times: { value: byOidcMs / directMs, target: { atMost: MAX_TIMES } } }),
    ],
  })
}

interface Case {
  readonly name: string
  /** Makes the calls, or logs in. */
  send(connection: LoadConnection): Promise<unknown>
}

function expectOk({ status }: { readonly status: number }): void {
  if (status !== 200) throw new Error(`the reply is ${status}`)
}

/** Measures two cases in turns. Returns the CPU time of the server for each call, or login, of both. */
async function measureInTurns(
  run: BenchRun,
  product: Product,
  cases: readonly [Case, Case],
): Promise<readonly [number, number]> {
  const { seconds } = run.options
  const connections = await Promise.all(Array.from({ length: CONNECTIONS }, () => openConnection(product)))
  for (const each of cases) {
    run.progress(`${each.name}: warming up`)
    await measureTurn(product, connections, each, seconds)
  }
  run.progress(`${cases[0].name}, ${cases[1].name}`)
  const totals = [new Total(), new Total()] as const
  for (let spent = 0; spent < seconds; spent += TURN_SECONDS) {
    for (const at of [0, 1] as const) totals[at].add(await measureTurn(product, connections, cases[at], TURN_SECONDS))
  }
  for (const connection of connections) connection.close()
  return [totals[0].cpuMsOfOne, totals[1].cpuMsOfOne]
}

interface Turn {
  readonly cpuMs: number
  readonly count: number
}

class Total {
  #cpuMs = 0
  #count = 0

  add({ cpuMs, count }: Turn): void {
    this.#cpuMs += cpuMs
    this.#count += count
  }

  get cpuMsOfOne(): number {
    return this.#cpuMs / this.#count
  }
}

async function measureTurn(
  { pid }: Product,
  connections: readonly LoadConnection[],
  { send }: Case,
  seconds: number,
): Promise<Turn> {
  const end = performance.now() + seconds * 1000
  const before = cpuMsOf(pid)
  let count = 0
  await Promise.all(
    connections.map(async (connection) => {
      while (performance.now() < end) {
        await send(connection)
        count += 1
      }
    }),
  )
  return { cpuMs: cpuMsOf(pid) - before, count }
}

function rowOf(name: string, cpuMs: number, further: Row['measures'] = {}): Row {
  return { name, measures: { cpuMs: { value: cpuMs }, ...further } }
}
