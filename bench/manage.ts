import { measure } from './support/measure.ts'
import { http, MANAGEMENT, withServers } from './support/product.ts'
import { memoryMibOf } from './support/server-process.ts'

/** List, get and create of signers through the running product, each beside a bare HTTPS server that answers as many bytes. */
export async function run(): Promise<void> {
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
