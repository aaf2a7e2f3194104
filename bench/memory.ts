import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { makeTestCsr } from '@countersign/testkit'
import type { Row } from './report/result.ts'
import type { BenchPart, BenchRun } from './support/bench-run.ts'
import { createBenchSigner, forgeToken } from './support/bench-signer.ts'
import { buildRequest } from './support/build-request.ts'
import { runLoad } from './support/load.ts'
import { jwtLoginRequest } from './support/login-operations.ts'
import { MEMORY_COLUMNS } from './support/measure-memory.ts'
import { CLIENT, MANAGEMENT, NO_LIMITS, type Product, withInstallation } from './support/product.ts'
import { roundRobin } from './support/round-robin.ts'
import { treeMemoryMibOf } from './support/server-process.ts'

/** What `npm start` runs: development mode, with the local identity provider and the demo data. */
const NPM_START = [fileURLToPath(new URL('../tools/run.js', import.meta.url)), 'start']
const CONNECTIONS = 64
const IDENTITIES = 500
/** After the start, nothing that it has put off remains to be done. */
const SETTLE_MS = 5_000
const MAX_MIB = { afterSetup: 150, afterLoad: 300 }

/** Resident memory of all processes that `npm start` starts, after the start and after a load of every kind. */
export const memory: BenchPart = async (run) => {
  await withInstallation(
    'embedded',
    async (installation) => {
      run.progress('starting')
      const product = await installation.start()
      await sleep(SETTLE_MS)
      const rows = [measure('after setup', product, MAX_MIB.afterSetup)]
      for (const load of await buildLoads(run, product)) {
        run.progress(load.name)
        const { seconds } = run.options
        await runLoad({ ...product, connections: CONNECTIONS, seconds, maxRequests: Number.POSITIVE_INFINITY, ...load })
        rows.push(measure(`after: ${load.name}`, product))
      }
      run.progress('tokens of the local provider')
      await logInPeople(product)
      rows.push(measure('after load', product, MAX_MIB.afterLoad))
      run.report({
        title: 'Memory of `npm start`',
        text: `Resident memory of its processes, without npm; development mode, embedded database, ${CONNECTIONS} connections.`,
        columns: MEMORY_COLUMNS,
        rows,
      })
    },
    { command: NPM_START, settings: NO_LIMITS },
  )
}

function measure(name: string, { pid }: Product, maxMib?: number): Row {
  const value = treeMemoryMibOf(pid)
  return { name, measures: { mib: maxMib === undefined ? { value } : { value, target: { atMost: maxMib } } } }
}

interface NamedLoad {
  readonly name: string
  readonly expectStatus: number
  readonly maxRequests?: number
  readonly reconnects?: boolean
  request(): string
}

async function buildLoads({ options }: BenchRun, product: Product): Promise<NamedLoad[]> {
  const signer = await createBenchSigner(product, 'bench', 'RSA', { enrollToCertEnabled: true })
  for (let number = 0; number < IDENTITIES; number++)
    await product.call('POST', `${MANAGEMENT}/identities`, identity(`user-${number}`))
  const count = Math.ceil(options.seconds * 6_500)
  const tokens = Array.from({ length: count }, (_, number) => signer.mint(`user-${number % IDENTITIES}`, number))
  const enrollments = Array.from({ length: Math.ceil(count / 10) }, (_, number) =>
    buildRequest(
      'POST',
      `${CLIENT}/enroll/token`,
      { authorization: `Bearer ${signer.mint(`enrolled-${number}`)}` },
      JSON.stringify({ clientCsr: makeTestCsr().pem }),
    ),
  )
  const admin = { 'zt-session': product.session }
  const get = (name: string, path: string): NamedLoad => ({
    name,
    expectStatus: 200,
    request: () => buildRequest('GET', `${MANAGEMENT}${path}`, admin),
  })
  const logIn = (name: string, sent: readonly string[], expectStatus = 200): NamedLoad => ({
    name,
    expectStatus,
    maxRequests: Math.max(count, sent.length),
    request: roundRobin(sent.map(jwtLoginRequest)),
  })
  let created = 0
  return [
    logIn('logins, distinct tokens', tokens),
    logIn('logins, same token', tokens.slice(0, 1)),
    { ...logIn('logins on new connections', tokens.slice(0, 1)), reconnects: true },
    logIn('refused logins', tokens.map(forgeToken), 401),
    get('calls with a session', '/current-api-session'),
    get('lists of signers', '/ext-jwt-signers'),
    get('identities by filter', `/identities?filter=${encodeURIComponent('name = "user-7"')}`),
    {
      name: 'creating identities',
      expectStatus: 201,
      request: () =>
        buildRequest('POST', `${MANAGEMENT}/identities`, admin, JSON.stringify(identity(`created-${created++}`))),
    },
    {
      name: 'enrollments to a certificate',
      expectStatus: 200,
      maxRequests: enrollments.length,
      request: roundRobin(enrollments),
    },
  ]
}

const identity = (name: string) => ({ name, type: 'Default', isAdmin: false, externalId: name })

const PEOPLE_LOGINS = 200

/** Loads the part of the local provider that scripts use. */
async function logInPeople(product: Product): Promise<void> {
  for (let number = 0; number < PEOPLE_LOGINS; number++) {
    const response = await fetch(`${product.identityProviderUrl}/dev/token`, {
      method: 'POST',
      body: new URLSearchParams({ person: 'alice' }),
    })
    const { access_token: token } = (await response.json()) as { access_token: string }
    const load = { connections: 1, seconds: 1, maxRequests: 1, expectStatus: 200 }
    await runLoad({ ...product, ...load, request: () => jwtLoginRequest(token) })
  }
}
