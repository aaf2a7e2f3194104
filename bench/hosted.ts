import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { mintKey, mintKeySet, mintToken } from '@countersign/testkit'
import type { DatabaseName } from './support/bench-database.ts'
import type { BenchPart, BenchRun } from './support/bench-run.ts'
import { buildRequest } from './support/build-request.ts'
import { measureOperations, OPERATION_COLUMNS, type Operation } from './support/measure-operations.ts'
import { NO_LIMITS, type Product, withInstallation } from './support/product.ts'
import { roundRobin } from './support/round-robin.ts'

const ACCOUNTS = 100
const NETWORKS = 10
const TOKEN_SECONDS = 6 * 3600
const AUDIENCE = 'hosted-bench'
const SETTINGS = { ...NO_LIMITS, COUNTERSIGN_JWKS_ALLOW_LOOPBACK: 'true', COUNTERSIGN_JWKS_ALLOW_HTTP: '127.0.0.1' }

/** Calls of the hosted API with access tokens of an identity provider. */
export const hosted: BenchPart = async (run) => {
  for (const database of run.options.databases) await measureCalls(run, database)
}

async function measureCalls(run: BenchRun, database: DatabaseName): Promise<void> {
  const issuer = await startIssuer()
  try {
    await withInstallation(
      database,
      async (installation, bare) => {
        const product = await installation.start()
        const tokens = await createAccounts(product, issuer)
        const get = (path: string): Operation => ({
          operation: `GET ${path}`,
          request: roundRobin(tokens.map((token) => buildRequest('GET', path, { authorization: `Bearer ${token}` }))),
          expectStatus: 200,
          targets: {},
        })
        const operations = [get('/identity/v1/identities/self'), get('/core/v3/networks')]
        run.report({
          title: `Hosted calls (${database})`,
          text: `${ACCOUNTS} API accounts with a token each, ${NETWORKS} networks, 32 connections. The bare server reads the request and returns as many bytes.`,
          columns: OPERATION_COLUMNS,
          rows: await measureOperations({ product, bare }, operations, run),
        })
        await product.stop()
      },
      { settings: SETTINGS },
    )
  } finally {
    issuer.close()
  }
}

interface Issuer {
  readonly url: string
  mint(clientId: string): string
  close(): void
}

/** An identity provider on loopback whose keys are fetched once. */
async function startIssuer(): Promise<Issuer> {
  const key = mintKey('RSA')
  const server = createServer((_, response) => {
    response.setHeader('content-type', 'application/json').end(JSON.stringify(mintKeySet(key)))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const iat = Math.floor(Date.now() / 1000)
  return {
    url,
    mint: (azp) =>
      mintToken({ key, claims: { iss: url, aud: AUDIENCE, sub: azp, azp, iat, exp: iat + TOKEN_SECONDS } }),
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

/** Creates accounts and networks. Returns a token of each account. */
async function createAccounts(product: Product, issuer: Issuer): Promise<string[]> {
  const create = async (path: string, body: object): Promise<string> =>
    ((await product.call('POST', path, body)) as unknown as { id: string }).id
  const identityProviderId = await create('/identity/v1/identity-providers', {
    ...{ name: 'bench', kind: 'oidc', issuer: issuer.url, audience: AUDIENCE },
    ...{ jwksUri: `${issuer.url}/keys`, tokenUrl: `${issuer.url}/token` },
  })
  for (let number = 1; number < NETWORKS; number++) await create('/core/v3/networks', { name: `network ${number}` })
  const clientIds = Array.from({ length: ACCOUNTS }, (_, number) => `client-${number}`)
  for (const clientId of clientIds) {
    await create('/identity/v1/api-account-identities', { name: clientId, identityProviderId, clientId })
  }
  return clientIds.map(issuer.mint)
}
