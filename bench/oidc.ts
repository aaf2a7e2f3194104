import type { Row } from './report/result.ts'
import type { BareServer } from './support/bare-process.ts'
import type { BenchPart, BenchRun } from './support/bench-run.ts'
import { type BenchSigner, createBenchSigner } from './support/bench-signer.ts'
import { buildRequest } from './support/build-request.ts'
import { type LoadConnection, openConnection, sendOnce } from './support/connection.ts'
import { jwtLoginRequest } from './support/login-operations.ts'
import { measureOperations, OPERATION_COLUMNS } from './support/measure-operations.ts'
import { logInByOidc } from './support/oidc-login.ts'
import { CLIENT, type Installation, MANAGEMENT, NO_LIMITS, type Product, withInstallation } from './support/product.ts'
import { roundRobin } from './support/round-robin.ts'
import { cpuMsOf } from './support/server-process.ts'

const IDENTITIES = 100
const CONNECTIONS = 64
const ROUNDS = 5
const EXTERNAL_ID = (number: number): string => `oidc-${number}@bench.example`
const LIMITS = { ...NO_LIMITS, COUNTERSIGN_LIMITS_LOGIN_BURST: '0' }

/** Sessions of the OpenID provider, compared with those by session token: calls, and logins by JWT. */
export const oidc: BenchPart = async (run) => {
  for (const name of run.options.databases) {
    await withInstallation(name, (installation, bare) => measureSessions(run, installation, bare), {
      settings: LIMITS,
    })
  }
}

async function measureSessions(run: BenchRun, installation: Installation, bare: BareServer): Promise<void> {
  const product = await installation.start()
  const signer = await createBenchSigner(product, 'oidc')
  for (let number = 0; number < IDENTITIES; number++) {
    const externalId = EXTERNAL_ID(number)
    const identity = { name: externalId, type: 'Default', isAdmin: false, externalId }
    await product.call('POST', `${MANAGEMENT}/identities`, identity)
  }
  const operations = await buildCalls(product, signer)
  const calls = await measureOperations({ product, bare }, operations, run)
  const [bySession = 0, byToken = 0] = calls.map(({ measures }) => measures.cpuMs?.value ?? 0)
  const target = { atMost: 0.02 }
  const more: Row = { name: 'more by access token', measures: { cpuMs: { value: byToken - bySession, target } } }
  run.report({
    title: 'Calls with a session token and with an access token',
    text: `${IDENTITIES} identities with a session of each kind.`,
    columns: OPERATION_COLUMNS,
    rows: [...calls, more],
  })
  await reportLogins(run, product, signer)
  await product.stop()
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
  const call = (operation: string, requests: readonly string[]) => ({
    operation,
    expectStatus: 200,
    request: roundRobin(requests),
    targets: {},
  })
  return [call('call with a session token', bySession), call('call with an access token', byToken)]
}

type LogIn = (connection: LoadConnection, jwt: string) => Promise<unknown>

async function reportLogins(run: BenchRun, product: Product, signer: BenchSigner): Promise<void> {
  const direct = async (connection: LoadConnection, jwt: string) => {
    const { status } = await connection.send(jwtLoginRequest(jwt))
    if (status !== 200) throw new Error(`login: ${status}`)
  }
  const byOidc = (connection: LoadConnection, jwt: string) => logInByOidc(connection, product, jwt)
  const logins = { 'login by JWT': direct, 'login by JWT through the OpenID provider': byOidc }
  const rows: Row[] = []
  for (const [name, logIn] of Object.entries(logins)) {
    run.progress(name)
    const cpuMs: number[] = []
    for (let round = 0; round < ROUNDS; round++) cpuMs.push(await measureLogins(run, product, signer, logIn))
    const [first = 0] = rows.map(({ measures }) => measures.cpuMs?.value ?? 0)
    const value = Math.min(...cpuMs)
    const target = rows.length > 0 ? { target: { atMost: 3 * first } } : {}
    rows.push({ name, measures: { cpuMs: { value, ...target } } })
  }
  run.report({
    title: 'Logins by JWT, directly and through the OpenID provider',
    text: `${CONNECTIONS} connections; the login through the provider makes five requests.`,
    columns: OPERATION_COLUMNS.filter(({ key }) => key === 'cpuMs'),
    rows,
  })
}

/** Returns the CPU time of the server per login. */
async function measureLogins(run: BenchRun, product: Product, signer: BenchSigner, logIn: LogIn): Promise<number> {
  const connections = await Promise.all(Array.from({ length: CONNECTIONS }, () => openConnection(product)))
  const end = performance.now() + (run.options.seconds * 1000) / ROUNDS
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
