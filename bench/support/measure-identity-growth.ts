import type { DatabaseName } from './bench-database.ts'
import type { BenchRun } from './bench-run.ts'
import type { BenchSigner } from './bench-signer.ts'
import { buildRequest } from './build-request.ts'
import { createTemplate } from './create-template.ts'
import { benchIdentity, benchSessionToken, fillIdentities, fillSessions } from './fill-database.ts'
import { loginOperation, loginOperations } from './login-operations.ts'
import { measureGrowth } from './measure-growth.ts'
import type { Operation } from './measure-operations.ts'
import { CLIENT, MANAGEMENT, type Product, withInstallation } from './product.ts'
import { requestsFor } from './split-requests.ts'

/** Measures with growing numbers of identities, each with a session. */
export async function measureIdentityGrowth(run: BenchRun, databaseName: DatabaseName): Promise<void> {
  await withInstallation(databaseName, async (installation, bare) => {
    const { signer, template } = await createTemplate(installation)
    await measureGrowth(run, installation, bare, {
      title: 'Growth with identities',
      unit: 'identities and sessions',
      sizes: run.options.sizes,
      from: 0,
      fill: async (range) => {
        await fillIdentities(installation.database, template, range)
        await fillSessions(installation.database, template, range)
      },
      operations: (product, size) => buildOperations(run, product, signer, size),
    })
  })
}

function buildOperations(run: BenchRun, product: Product, signer: BenchSigner, size: number): Operation[] {
  const count = requestsFor(run.options.seconds)
  const admin = { 'zt-session': product.session }
  let at = 0
  // The step is prime to every size, so that all numbers are visited, in an order that defeats caches.
  const nextNumber = () => {
    at = (at + 7919) % size
    return at
  }
  const tokens = Array.from({ length: count }, (_, number) =>
    signer.mint(benchIdentity(nextNumber()).externalId, number),
  )
  const unknownTokens = Array.from({ length: count }, (_, number) => signer.mint(`unknown-${number}`, number))
  const read = (
    operation: string,
    path: () => string,
    headers: () => Record<string, string> = () => admin,
  ): Operation => {
    return { operation, request: () => buildRequest('GET', path(), headers()), expectStatus: 200, targets: {} }
  }
  const list = (operation: string, path: string, filter: () => string) =>
    read(operation, () => `${MANAGEMENT}/${path}?filter=${encodeURIComponent(filter())}`)
  const identity = () => benchIdentity(nextNumber())
  return [
    ...loginOperations(signer, tokens),
    loginOperation(signer, tokens[0] ?? '', {
      operation: 'login refused (unknown identity)',
      tokens: unknownTokens,
      expectStatus: 401,
    }),
    read(
      'a call with a session',
      () => `${CLIENT}/current-api-session`,
      () => ({ 'zt-session': benchSessionToken(nextNumber()) }),
    ),
    read('lookup by id', () => `${MANAGEMENT}/identities/${identity().id}`),
    list('lookup by name', 'identities', () => `name = "${identity().name}"`),
    list('lookup by externalId', 'identities', () => `externalId = "${identity().externalId}"`),
    read('list, first page', () => `${MANAGEMENT}/identities`),
    list('list by filter (20 with an attribute)', 'identities', () => `anyOf(roleAttributes) = "${identity().team}"`),
    read('list of sessions, first page', () => `${MANAGEMENT}/api-sessions`),
    list('sessions of an identity', 'api-sessions', () => `identity = "${identity().id}"`),
  ]
}
