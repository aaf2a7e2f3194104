import type { Aim, Row } from './report/result.ts'
import type { BenchPart, BenchRun } from './support/bench-run.ts'
import { createBenchSigner } from './support/bench-signer.ts'
import { benchIdentity, fillIdentities } from './support/fill-database.ts'
import { http } from './support/http.ts'
import { measureOperations, OPERATION_COLUMNS, type Operation, plotColumn } from './support/measure.ts'
import { CLIENT, MANAGEMENT, type Product, withHome, withServers } from './support/product.ts'

const SIGNERS = 10

const atMost = (cpuMs: number): { cpuMs: Aim } => ({ cpuMs: { atMost: cpuMs } })

/** Signers and identities through the running product: list, get, filter and create, each beside a bare HTTPS server that answers as many bytes. */
export const manage: BenchPart = async (run) => {
  await measureSigners(run)
  await measureIdentities(run)
}

async function measureSigners(run: BenchRun): Promise<void> {
  await withServers(async (product, bare) => {
    const headers = { 'zt-session': product.session }
    for (let number = 1; number < SIGNERS; number++) await createBenchSigner(product, `signer-${number}`)
    const { id } = await createBenchSigner(product, 'signer')
    let made = 0
    const create = () => http('POST', `${MANAGEMENT}/ext-jwt-signers`, headers, JSON.stringify(newSigner(made++)))
    const get = (path: string) => ({ request: () => http('GET', path, headers), expectStatus: 200 })
    const operations: Operation[] = [
      { operation: `client list of ${SIGNERS} signers`, ...get(`${CLIENT}/external-jwt-signers`), aims: atMost(0.08) },
      { operation: 'get one signer', ...get(`${MANAGEMENT}/ext-jwt-signers/${id}`), aims: atMost(0.1) },
      { operation: 'list signers, 10 a page', ...get(`${MANAGEMENT}/ext-jwt-signers`), aims: atMost(0.2) },
      { operation: 'a call with a session', ...get(`${MANAGEMENT}/current-api-session`), aims: atMost(0.1) },
      {
        operation: 'create signer, durable',
        request: create,
        expectStatus: 201,
        aims: atMost(0.4),
        bare: { body: JSON.stringify(newSigner(0)) },
      },
    ]
    const rows = await measureOperations({ product, bare }, operations, run)
    run.report({
      title: 'Managing signers',
      text: `With ${SIGNERS} signers, 32 connections. The bare server reads the request and answers as many bytes.`,
      columns: OPERATION_COLUMNS,
      rows,
      plots: [plotColumn('Processor time of one call, ms', rows, 'cpuMs')],
    })
  })
}

/** The same calls among more and more identities: what they cost must not grow. */
async function measureIdentities(run: BenchRun): Promise<void> {
  await withHome(async (home, bare) => {
    const first = await home.start()
    const { data } = await first.call('POST', `${MANAGEMENT}/identities`, newIdentity('template'))
    await first.stop()
    const rows: Row[] = []
    let from = 0
    for (const size of run.options.sizes) {
      run.say(`filling up to ${size} identities`)
      fillIdentities(home.databaseFile, (data as unknown as { id: string }).id, { from, to: size })
      from = size
      const product = await home.start()
      rows.push(...(await measureOperations({ product, bare }, identityOperations(product, size), run)))
      await product.stop()
    }
    run.report({
      title: 'Managing identities',
      text: 'Among more and more identities, 32 connections. The bare server reads the request and answers as many bytes.',
      columns: OPERATION_COLUMNS,
      rows,
      plots: [plotColumn('Processor time of one call, ms', rows, 'cpuMs')],
    })
  })
}

function identityOperations(product: Product, size: number): Operation[] {
  const headers = { 'zt-session': product.session }
  const among = `, ${size.toLocaleString('en-US')} identities`
  let at = 0
  let made = 0
  const some = () => {
    at = (at + 7919) % size
    return benchIdentity(at)
  }
  const get = (operation: string, path: () => string, aims: Operation['aims'] = {}): Operation => ({
    operation: operation + among,
    request: () => http('GET', `${MANAGEMENT}/identities${path()}`, headers),
    expectStatus: 200,
    aims,
  })
  const filter = (operation: string, text: () => string) =>
    get(operation, () => `?filter=${encodeURIComponent(text())}`, atMost(0.2))
  const body = () => JSON.stringify(newIdentity(`made-${size}-${made++}`))
  return [
    get('get one', () => `/${some().id}`),
    get('list, 10 a page', () => ''),
    filter('filter by id', () => `id = "${some().id}"`),
    filter('filter by name', () => `name = "${some().name}"`),
    filter('filter by externalId', () => `externalId = "${some().externalId}"`),
    {
      operation: `create, durable${among}`,
      request: () => http('POST', `${MANAGEMENT}/identities`, headers, body()),
      expectStatus: 201,
      aims: atMost(0.4),
      bare: { body: body() },
    },
  ]
}

function newIdentity(name: string) {
  return { name, type: 'Default', isAdmin: false, externalId: `${name}@made.example`, roleAttributes: ['made'] }
}

/** Disabled, so that nobody looks for its keys. */
function newSigner(number: number) {
  return {
    name: `made ${number}`,
    enabled: false,
    issuer: `https://made-${number}.example`,
    audience: 'edge',
    jwksEndpoint: 'https://keys.example/jwks',
    claimsProperty: 'email',
    useExternalId: true,
  }
}
