import type { BenchRun } from './bench-run.ts'
import { type BenchSigner, createBenchSigner } from './bench-signer.ts'
import { askOnce } from './connection.ts'
import { benchIdentity, benchSessionToken, fillIdentities, fillSessions } from './fill-database.ts'
import { http } from './http.ts'
import { loginOperation, loginOperations, signIn } from './login-operations.ts'
import type { Operation } from './measure.ts'
import { measureGrowth } from './measure-growth.ts'
import { CLIENT, MANAGEMENT, type Product, type ProductHome, withHome } from './product.ts'
import { requestsFor } from './split-requests.ts'

/** Among more and more identities, each with a session. */
export async function growIdentities(run: BenchRun): Promise<void> {
  await withHome(async (home, bare) => {
    const { signer, template } = await prepare(home)
    await measureGrowth(run, home, bare, {
      title: 'Growth with identities',
      what: 'identities and sessions',
      sizes: run.options.sizes,
      from: 0,
      fill: (range) => {
        fillIdentities(home.databaseFile, template, range)
        fillSessions(home.databaseFile, template, range)
      },
      operations: (product, size) => buildOperations(run, product, signer, size),
    })
  })
}

async function prepare(home: ProductHome): Promise<{ signer: BenchSigner; template: string }> {
  const product = await home.start()
  const signer = await createBenchSigner(product, 'bench', 'P-256')
  const identity = { name: 'template', type: 'Default', isAdmin: false, externalId: 'template' }
  const { data } = await product.call('POST', `${MANAGEMENT}/identities`, identity)
  await askOnce(product, signIn(signer.mint('template')))
  await product.stop()
  return { signer, template: (data as unknown as { id: string }).id }
}

function buildOperations(run: BenchRun, product: Product, signer: BenchSigner, size: number): Operation[] {
  const count = requestsFor(run.options.seconds)
  const admin = { 'zt-session': product.session }
  let at = 0
  // A step that shares no factor with the sizes comes to all of them, in no order that a cache could follow.
  const some = () => {
    at = (at + 7919) % size
    return at
  }
  const tokens = Array.from({ length: count }, (_, number) => signer.mint(benchIdentity(some()).externalId, number))
  const strangers = Array.from({ length: count }, (_, number) => signer.mint(`stranger-${number}`, number))
  const read = (
    operation: string,
    path: () => string,
    headers: () => Record<string, string> = () => admin,
  ): Operation => {
    return { operation, request: () => http('GET', path(), headers()), expectStatus: 200, aims: {} }
  }
  const list = (operation: string, path: string, filter: () => string) =>
    read(operation, () => `${MANAGEMENT}/${path}?filter=${encodeURIComponent(filter())}`)
  const identity = () => benchIdentity(some())
  return [
    ...loginOperations(signer, tokens),
    loginOperation(signer, tokens[0] ?? '', {
      operation: 'login refused (nobody)',
      tokens: strangers,
      expectStatus: 401,
    }),
    read(
      'a call with a session',
      () => `${CLIENT}/current-api-session`,
      () => ({ 'zt-session': benchSessionToken(some()) }),
    ),
    read('look-up by id', () => `${MANAGEMENT}/identities/${identity().id}`),
    list('look-up by name', 'identities', () => `name = "${identity().name}"`),
    list('look-up by externalId', 'identities', () => `externalId = "${identity().externalId}"`),
    read('list, first page', () => `${MANAGEMENT}/identities`),
    list('list by filter (20 with an attribute)', 'identities', () => `anyOf(roleAttributes) = "${identity().team}"`),
    read('list of sessions, first page', () => `${MANAGEMENT}/api-sessions`),
    list('sessions of an identity', 'api-sessions', () => `identity = "${identity().id}"`),
  ]
}
