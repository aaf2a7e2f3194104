import type { DatabaseName } from './bench-database.ts'
import type { BenchRun } from './bench-run.ts'
import { type BenchSigner, createBenchSigner } from './bench-signer.ts'
import { buildRequest } from './build-request.ts'
import { benchSigner, fillSigners } from './fill-database.ts'
import { loginOperations } from './login-operations.ts'
import { measureGrowth } from './measure-growth.ts'
import type { Operation } from './measure-operations.ts'
import { CLIENT, type Installation, MANAGEMENT, type Product, withInstallation } from './product.ts'
import { requestsFor } from './split-requests.ts'

const IDENTITIES = 100
/** The signers that mint tokens. */
const MINTING_SIGNERS = 1

/** Measures with growing numbers of enabled signers. */
export async function measureSignerGrowth(run: BenchRun, databaseName: DatabaseName): Promise<void> {
  await withInstallation(databaseName, async (installation, bare) => {
    const signer = await prepare(installation)
    await measureGrowth(run, installation, bare, {
      title: 'Growth with signers',
      unit: 'signers',
      sizes: run.options.signers,
      from: MINTING_SIGNERS,
      fill: (range) => fillSigners(installation.database, signer.id, range),
      operations: (product, size) => buildOperations(run, product, signer, size),
    })
  })
}

async function prepare(installation: Installation): Promise<BenchSigner> {
  const product = await installation.start()
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
  const nextSigner = () => {
    at = (at + 7919) % (size - MINTING_SIGNERS)
    return benchSigner(MINTING_SIGNERS + at)
  }
  const read = (operation: string, path: () => string): Operation => {
    return { operation, request: () => buildRequest('GET', path(), headers), expectStatus: 200, targets: {} }
  }
  const list = (operation: string, filter: () => string) =>
    read(operation, () => `${MANAGEMENT}/ext-jwt-signers?filter=${encodeURIComponent(filter())}`)
  return [
    ...loginOperations(signer, tokens),
    read('lookup by id', () => `${MANAGEMENT}/ext-jwt-signers/${nextSigner().id}`),
    list('lookup by name', () => `name = "${nextSigner().name}"`),
    list('list by filter (issuer)', () => `issuer = "${nextSigner().issuer}"`),
    read('list, first page', () => `${MANAGEMENT}/ext-jwt-signers`),
    read('client list, first page', () => `${CLIENT}/external-jwt-signers?limit=10`),
  ]
}
