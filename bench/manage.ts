import { join } from 'node:path'
import { fillIdentities } from './support/fill-identities.ts'
import { measure } from './support/measure.ts'
import { http, MANAGEMENT, withServers } from './support/product.ts'
import { memoryMibOf } from './support/server-process.ts'

const SIZES_FLAG = '--identities='
const DEFAULT_SIZES = '1000,100000'

/**
 * Signers and identities through the running product: list, get, filter and create, each beside a bare HTTPS server that
 * answers as many bytes. `--identities=1000,100000,1000000` says among how many identities.
 */
export async function run(flags: readonly string[] = []): Promise<void> {
  const sizes = flags.find((flag) => flag.startsWith(SIZES_FLAG))?.slice(SIZES_FLAG.length) ?? DEFAULT_SIZES
  await measureSigners()
  await measureIdentities(sizes.split(',').map(Number))
}

async function measureSigners(): Promise<void> {
  await withServers(async (product, bare) => {
    const headers = { 'zt-session': product.session }
    let made = 0
    const signer = () => JSON.stringify(newSigner(made++))
    for (let index = 0; index < 10; index++)
      await product.call('POST', `${MANAGEMENT}/ext-jwt-signers`, newSigner(made++))
    const id = (await product.call('GET', `${MANAGEMENT}/ext-jwt-signers`)).data[0]?.id
    const get = (path: string) => () => http('GET', path, headers)
    await measure(product, bare, [
      {
        operation: 'client list (10 signers)',
        request: () => http('GET', '/edge/client/v1/external-jwt-signers', {}),
        expectStatus: 200,
        aimCpuMs: 0.08,
      },
      {
        operation: 'get one signer',
        request: get(`${MANAGEMENT}/ext-jwt-signers/${id}`),
        expectStatus: 200,
        aimCpuMs: 0.1,
      },
      {
        operation: 'list signers, 10 a page',
        request: get(`${MANAGEMENT}/ext-jwt-signers`),
        expectStatus: 200,
        aimCpuMs: 0.2,
      },
      {
        operation: 'a call with a session',
        request: get(`${MANAGEMENT}/current-api-session`),
        expectStatus: 200,
        aimCpuMs: 0.1,
      },
      {
        operation: 'create signer, durable',
        request: () => http('POST', `${MANAGEMENT}/ext-jwt-signers`, headers, signer()),
        expectStatus: 201,
        aimCpuMs: 0.4,
        bare: { body: JSON.stringify(newSigner(0)) },
      },
    ])
    console.log(`memory of the server after the load: ${Math.round(memoryMibOf(product.pid))} MiB`)
  })
}

/** The same calls among more and more identities: what they cost must not grow. */
async function measureIdentities(sizes: readonly number[]): Promise<void> {
  await withServers(async (product, bare) => {
    const headers = { 'zt-session': product.session }
    let made = 0
    for (const size of sizes) {
      process.stderr.write(`filling up to ${size} identities …\n`)
      const ids = fillIdentities(join(product.dataDir, 'countersign.db'), size)
      let at = 0
      const among = `, ${size.toLocaleString('en')} identities`
      const get = (path: () => string) => () => http('GET', `${MANAGEMENT}/identities${path()}`, headers)
      const filter = (text: () => string) => get(() => `?filter=${encodeURIComponent(text())}`)
      const some = () => (at = (at + 7919) % size)
      const read = (operation: string, request: () => string, aimCpuMs = 0.3) => {
        return { operation: operation + among, request, expectStatus: 200, aimCpuMs }
      }
      await measure(product, bare, [
        read(
          'get one',
          get(() => `/${ids[some() % ids.length]}`),
        ),
        read(
          'list, 10 a page',
          get(() => ''),
          0.5,
        ),
        read(
          'filter by id',
          filter(() => `id = "${ids[some() % ids.length]}"`),
        ),
        read(
          'filter by name',
          filter(() => `name = "user-${some()}"`),
        ),
        read(
          'filter by externalId',
          filter(() => `externalId = "user-${some()}@bench.example"`),
        ),
        {
          operation: `create, durable${among}`,
          request: () => http('POST', `${MANAGEMENT}/identities`, headers, JSON.stringify(newIdentity(made++))),
          expectStatus: 201,
          aimCpuMs: 0.5,
          bare: { body: JSON.stringify(newIdentity(0)) },
        },
      ])
      console.log(`memory of the server after the load: ${Math.round(memoryMibOf(product.pid))} MiB`)
    }
  })
}

function newIdentity(number: number) {
  return { name: `made ${number}`, type: 'Default', isAdmin: false, externalId: `made-${number}`, attributes: ['made'] }
}

/** The first ten are enabled, which is what the client list shows; the keys of none are there to be fetched. */
function newSigner(number: number) {
  return {
    name: `signer ${number}`,
    enabled: number < 10,
    issuer: `https://${number}.example`,
    audience: 'edge',
    jwksEndpoint: 'http://127.0.0.1:1024/jwks',
    claimsProperty: 'email',
    useExternalId: true,
  }
}
