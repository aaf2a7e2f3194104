import { request as sendHttps } from 'node:https'
import { mintKey, mintProof, thumbprintOfKey } from '@countersign/testkit'
import type { Row } from './report/result.ts'
import type { BareServer } from './support/bare-process.ts'
import type { BenchPart, BenchRun } from './support/bench-run.ts'
import { type BenchSigner, createBenchSigner } from './support/bench-signer.ts'
import { buildRequest } from './support/build-request.ts'
import { benchIdentity } from './support/fill-database.ts'
import { jwtLoginRequest } from './support/login-operations.ts'
import { measureOperations, OPERATION_COLUMNS, type Operation } from './support/measure-operations.ts'
import type { MeasuredServer } from './support/measured-server.ts'
import { CLIENT, type Installation, withInstallation } from './support/product.ts'
import { roundRobin } from './support/round-robin.ts'
import { requestsFor } from './support/split-requests.ts'
import { stopAndFill } from './support/stop-and-fill.ts'

const IDENTITIES = 500
const CONNECTIONS = 64
const LOGIN = `${CLIENT}/authenticate?method=ext-jwt`
/** CPU time that a login may cost more than one with a bearer token, in the same run. */
const MORE_CPU_MS = { proof: 0.12, oneUse: 0.05 } as const

/** What proofs of possession and tokens that are accepted once add to a login. */
export const possession: BenchPart = async (run) => {
  for (const name of run.options.databases) {
    await withInstallation(name, (installation, bare) => measure(run, installation, bare))
  }
}

async function measure(run: BenchRun, installation: Installation, bare: BareServer): Promise<void> {
  const filling = await installation.start()
  // A signature takes a tenth of the time of RSA: a run needs about 100,000 distinct tokens.
  const plain = await createBenchSigner(filling, 'plain', 'P-256')
  const oneUse = await createBenchSigner(filling, 'one-use', 'P-256', { oneUse: true })
  await stopAndFill(filling, installation, IDENTITIES)
  const product = await installation.start()
  const count = requestsFor(run.options.seconds)
  const mintAll = (signer: BenchSigner, claims = {}) =>
    Array.from({ length: count }, (_, at) => signer.mint(benchIdentity(at % IDENTITIES).externalId, at, claims))
  run.progress('minting tokens')
  const [bearer, once, bound] = [mintAll(plain), mintAll(oneUse), mintAll(plain, BOUND)]
  const common = {
    expectStatus: 200,
    connections: CONNECTIONS,
    maxRequests: count,
    bare: { headers: plain.bareHeaders(bearer[0] ?? '') },
  }
  const rows: Row[] = []
  const add = async (operation: Operation): Promise<number> => {
    const [row] = await measureOperations({ product, bare }, [operation], run)
    if (!row) throw new Error('nothing was measured')
    rows.push(row)
    return row.measures.cpuMs?.value ?? 0
  }
  const request = roundRobin(bearer.map(jwtLoginRequest))
  const base = await add({ operation: 'login by bearer token, ES256', ...common, request, targets: {} })
  const atMost = (more: number) => ({ cpuMs: { atMost: base + more } })
  await add({
    operation: 'login by a token that is accepted once, ES256',
    ...common,
    request: roundRobin(once.map(jwtLoginRequest)),
    targets: atMost(MORE_CPU_MS.oneUse),
  })
  const prove = await createProver(product)
  await add({
    operation: 'login by a bound token with a DPoP proof, ES256',
    ...common,
    request: mintFirst(bound, prove),
    targets: atMost(MORE_CPU_MS.proof),
  })
  run.report({
    title: `Possession: ${installation.database.name}`,
    text: `Distinct tokens over TLS, ${CONNECTIONS} connections. The targets are relative to the bearer token in the same run.`,
    columns: OPERATION_COLUMNS,
    rows,
  })
  await product.stop()
}

const KEY = mintKey('P-256', 'client')
const BOUND = { cnf: { jkt: thumbprintOfKey(KEY) } }

/** Within what the controller accepts, so that a proof lasts for longer than the minute after it is minted. */
const AHEAD_SECONDS = 45
const USABLE_MS = 90_000

/**
 * The requests in turn, minted before they are sent: signing takes the generator longer than the product takes to verify, and a product that waits for
 * requests commits fewer of them together. On a slow machine the last ones are minted again, because proofs expire.
 */
function mintFirst(tokens: readonly string[], prove: (token: string) => string): () => string {
  const usableUntil = Date.now() + USABLE_MS
  const next = roundRobin(tokens.map((token) => ({ token, request: prove(token) })))
  return () => {
    const { token, request } = next()
    return Date.now() < usableUntil ? request : prove(token)
  }
}

/** Builds login requests, each with its own proof. A nonce lasts five minutes. */
async function createProver({ port, ca }: MeasuredServer): Promise<(token: string) => string> {
  const host = `localhost:${port}`
  const nonce = await findNonce({ port, ca })
  return (token) => {
    const now = Math.floor(Date.now() / 1000) + AHEAD_SECONDS
    const proof = mintProof({ key: KEY, method: 'POST', url: `https://${host}${LOGIN}`, token, nonce, now })
    return buildRequest('POST', LOGIN, { host, authorization: `DPoP ${token}`, dpop: proof })
  }
}

function findNonce({ port, ca }: Pick<MeasuredServer, 'port' | 'ca'>): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', servername: 'localhost', port, ca, path: `${CLIENT}/version` }
    const sent = sendHttps({ ...options, headers: { dpop: 'x' } }, (response) => {
      response.resume()
      resolve(String(response.headers['dpop-nonce']))
    })
    sent.once('error', reject).end()
  })
}
