import type { Row, Target } from './report/result.ts'
import type { DatabaseName } from './support/bench-database.ts'
import type { BenchPart, BenchRun } from './support/bench-run.ts'
import { createBenchSigner } from './support/bench-signer.ts'
import { buildRequest } from './support/build-request.ts'
import { createTemplate } from './support/create-template.ts'
import { benchIdentity, fillIdentities, fillSessions } from './support/fill-database.ts'
import { measureOperations, OPERATION_COLUMNS, type Operation } from './support/measure-operations.ts'
import { CLIENT, MANAGEMENT, type Product, withInstallation, withServers } from './support/product.ts'

const SIGNERS = 10
const OWNED_SESSIONS = 250

/** The most CPU time of a call, in milliseconds. */
const atMost = (database: DatabaseName, cpuMs: Readonly<Record<DatabaseName, number>>): { cpuMs: Target } => ({
  cpuMs: { atMost: cpuMs[database] },
})

/** List, get, filter and create signers and identities, compared with a bare HTTPS server that returns as many bytes. */
export const manage: BenchPart = async (run) => {
  for (const database of run.options.databases) {
    await measureSigners(run, database)
    await measureIdentities(run, database)
    await measureOwnedSessions(run, database)
  }
}

async function measureSigners(run: BenchRun, database: DatabaseName): Promise<void> {
  await withServers(database, async (product, bare) => {
    const headers = { 'zt-session': product.session }
    for (let number = 1; number < SIGNERS; number++) await createBenchSigner(product, `signer-${number}`)
    const { id } = await createBenchSigner(product, 'signer')
    let created = 0
    const create = () =>
      buildRequest('POST', `${MANAGEMENT}/ext-jwt-signers`, headers, JSON.stringify(newSigner(created++)))
    const get = (path: string) => ({ request: () => buildRequest('GET', path, headers), expectStatus: 200 })
    const operations: Operation[] = [
      {
        operation: `client list of ${SIGNERS} signers`,
        ...get(`${CLIENT}/external-jwt-signers`),
        targets: atMost(database, { embedded: 0.08, PostgreSQL: 0.08 }),
      },
      {
        operation: 'get one signer',
        ...get(`${MANAGEMENT}/ext-jwt-signers/${id}`),
        targets: atMost(database, { embedded: 0.1, PostgreSQL: 0.12 }),
      },
      {
        operation: 'list signers, 10 per page',
        ...get(`${MANAGEMENT}/ext-jwt-signers`),
        targets: atMost(database, { embedded: 0.2, PostgreSQL: 0.25 }),
      },
      {
        operation: 'a call with a session',
        ...get(`${MANAGEMENT}/current-api-session`),
        targets: atMost(database, { embedded: 0.1, PostgreSQL: 0.12 }),
      },
      {
        operation: 'create signer, durable',
        request: create,
        expectStatus: 201,
        targets: atMost(database, { embedded: 0.4, PostgreSQL: 0.8 }),
        bare: { body: JSON.stringify(newSigner(0)) },
      },
    ]
    const rows = await measureOperations({ product, bare }, operations, run)
    run.report({
      title: `Managing signers (${database})`,
      text: `With ${SIGNERS} signers, 32 connections. The bare server reads the request and returns as many bytes.`,
      columns: OPERATION_COLUMNS,
      rows,
    })
  })
}

/** The same calls with growing numbers of identities: their cost must not grow. */
async function measureIdentities(run: BenchRun, database: DatabaseName): Promise<void> {
  await withInstallation(database, async (installation, bare) => {
    const first = await installation.start()
    const { data } = await first.call('POST', `${MANAGEMENT}/identities`, newIdentity('template'))
    await first.stop()
    const rows: Row[] = []
    let from = 0
    for (const size of run.options.sizes) {
      run.progress(`filling up to ${size} identities`)
      await fillIdentities(installation.database, (data as unknown as { id: string }).id, { from, to: size })
      await installation.database.analyze()
      from = size
      const product = await installation.start()
      rows.push(...(await measureOperations({ product, bare }, identityOperations(product, database, size), run)))
      await product.stop()
    }
    run.report({
      title: `Managing identities (${database})`,
      text: 'With growing numbers of identities, 32 connections. The bare server reads the request and returns as many bytes.',
      columns: OPERATION_COLUMNS,
      rows,
    })
  })
}

/** Showing an identity says whether it has sessions: its cost must not grow with their number. */
async function measureOwnedSessions(run: BenchRun, database: DatabaseName): Promise<void> {
  await withInstallation(database, async (installation, bare) => {
    const { template } = await createTemplate(installation)
    const [without, owner] = [benchIdentity(0), benchIdentity(1)]
    await fillIdentities(installation.database, template, { from: 0, to: 2 })
    await fillSessions(installation.database, template, { from: 0, to: OWNED_SESSIONS }, () => owner.id)
    await installation.database.analyze()
    const product = await installation.start()
    const headers = { 'zt-session': product.session }
    const get = (operation: string, id: string): Operation => ({
      operation,
      request: () => buildRequest('GET', `${MANAGEMENT}/identities/${id}`, headers),
      expectStatus: 200,
      targets: atMost(database, { embedded: 0.2, PostgreSQL: 0.4 }),
    })
    const operations = [
      get('show an identity without sessions', without.id),
      get(`show an identity with ${OWNED_SESSIONS} sessions`, owner.id),
    ]
    run.report({
      title: `Showing an identity (${database})`,
      text: '32 connections. The bare server reads the request and returns as many bytes.',
      columns: OPERATION_COLUMNS,
      rows: await measureOperations({ product, bare }, operations, run),
    })
    await product.stop()
  })
}

function identityOperations(product: Product, database: DatabaseName, size: number): Operation[] {
  const headers = { 'zt-session': product.session }
  const suffix = `, ${size.toLocaleString('en-US')} identities`
  let at = 0
  let created = 0
  const nextIdentity = () => {
    at = (at + 7919) % size
    return benchIdentity(at)
  }
  const get = (operation: string, path: () => string, targets: Operation['targets'] = {}): Operation => ({
    operation: operation + suffix,
    request: () => buildRequest('GET', `${MANAGEMENT}/identities${path()}`, headers),
    expectStatus: 200,
    targets,
  })
  const filter = (operation: string, text: () => string) =>
    get(operation, () => `?filter=${encodeURIComponent(text())}`, atMost(database, { embedded: 0.2, PostgreSQL: 0.4 }))
  const body = () => JSON.stringify(newIdentity(`created-${size}-${created++}`))
  return [
    get('get one', () => `/${nextIdentity().id}`),
    get('list, 10 per page', () => ''),
    filter('filter by id', () => `id = "${nextIdentity().id}"`),
    filter('filter by name', () => `name = "${nextIdentity().name}"`),
    filter('filter by externalId', () => `externalId = "${nextIdentity().externalId}"`),
    {
      operation: `create, durable${suffix}`,
      request: () => buildRequest('POST', `${MANAGEMENT}/identities`, headers, body()),
      expectStatus: 201,
      targets: atMost(database, { embedded: 0.4, PostgreSQL: 0.5 }),
      bare: { body: body() },
    },
  ]
}

function newIdentity(name: string) {
  return { name, type: 'Default', isAdmin: false, externalId: `${name}@created.example`, roleAttributes: ['created'] }
}

/** Disabled, so that its keys are not fetched. */
function newSigner(number: number) {
  return {
    name: `created ${number}`,
    enabled: false,
    issuer: `https://created-${number}.example`,
    audience: 'edge',
    jwksEndpoint: 'https://keys.example/jwks',
    claimsProperty: 'email',
    useExternalId: true,
  }
}
