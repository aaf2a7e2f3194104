import type { BenchRun } from './bench-run.ts'
import { type BenchSigner, createBenchSigner } from './bench-signer.ts'
import { benchSigner, fillSigners } from './fill-database.ts'
import { http } from './http.ts'
import { loginOperations } from './login-operations.ts'
import type { Operation } from './measure.ts'
import { measureGrowth } from './measure-growth.ts'
import { CLIENT, MANAGEMENT, type Product, type ProductHome, withHome } from './product.ts'
import { requestsFor } from './split-requests.ts'

const IDENTITIES = 100
/** The one that tokens are minted for. */
const OWN_SIGNERS = 1

/** Among more and more signers, all of them enabled. */
export async function growSigners(run: BenchRun): Promise<void> {
  await withHome(async (home, bare) => {
    const signer = await prepare(home)
    await measureGrowth(run, home, bare, {
      title: 'Growth with signers',
      what: 'signers',
      sizes: run.options.signers,
      from: OWN_SIGNERS,
      fill: (range) => fillSigners(home.databaseFile, signer.id, range),
      operations: (product, size) => buildOperations(run, product, signer, size),
    })
  })
}

async function prepare(home: ProductHome): Promise<BenchSigner> {
  const product = await home.start()
  const signer = await createBenchSigner(product, 'bench', 'P-256')
  for (let number = 0; number < IDENTITIES; number++) {
    const identity = { name: `user-${number}`, type: 'Default', isAdmin: false, externalId: `user-${number}` }
    await product.call('POST', `${MANAGEMENT}/identities`, identity)
  }
  await product.stop()
  return signer
}

function buildOperations(run: BenchRun, product: Product, signer: BenchSigner, size: number): Operation[] {
  const count = requestsFor(run.options.seconds)
  const headers = { 'zt-session': product.session }
  const tokens = Array.from({ length: count }, (_, number) => signer.mint(`user-${number % IDENTITIES}`, number))
  let at = 0
  const some = () => {
    at = (at + 7919) % (size - OWN_SIGNERS)
    return benchSigner(OWN_SIGNERS + at)
  }
  const read = (operation: string, path: () => string): Operation => {
    return { operation, request: () => http('GET', path(), headers), expectStatus: 200, aims: {} }
  }
  const list = (operation: string, filter: () => string) =>
    read(operation, () => `${MANAGEMENT}/ext-jwt-signers?filter=${encodeURIComponent(filter())}`)
  return [
    ...loginOperations(signer, tokens),
    read('look-up by id', () => `${MANAGEMENT}/ext-jwt-signers/${some().id}`),
    list('look-up by name', () => `name = "${some().name}"`),
    list('list by filter (issuer)', () => `issuer = "${some().issuer}"`),
    read('list, first page', () => `${MANAGEMENT}/ext-jwt-signers`),
    read('client list, first page', () => `${CLIENT}/external-jwt-signers?limit=10`),
  ]
}
