import { makeTestCertificate, mintKeyFrom, mintToken } from '@countersign/testkit'
import { measure, WARM_UP_REQUESTS } from './support/measure.ts'
import { http, MANAGEMENT, type Product, withServers } from './support/product.ts'
import { memoryMibOf } from './support/server-process.ts'

const ISSUER = 'https://bench.example'
const AUDIENCE = 'bench'
const TOKENS = 20_000 + WARM_UP_REQUESTS
const AUTHENTICATE = '/edge/client/v1/authenticate?method=ext-jwt'

/** Sign-in by JWT with durable sessions, beside a bare HTTPS server that only verifies the token and answers as many bytes. */
export async function run(flags: readonly string[] = []): Promise<void> {
  const isLarge = flags.includes('--large')
  await withServers(async (product, bare) => {
    const counts = isLarge ? { signers: 1000, identities: 10_000 } : { signers: 10, identities: 500 }
    process.stderr.write(`${counts.signers} signers, ${counts.identities} identities …\n`)
    const { key, publicKeyPem } = await fill(product, counts)
    process.stderr.write(`${TOKENS} tokens …\n`)
    const exp = Math.floor(Date.now() / 1000) + 3600
    const token = (number: number, aud = AUDIENCE) =>
      mintToken({
        key,
        claims: { iss: ISSUER, aud, sub: `user-${number % counts.identities}`, exp, jti: String(number) },
      })
    const distinct = Array.from({ length: TOKENS }, (_, number) => token(number))
    const once = distinct[0] ?? ''
    const forged = distinct.map((text) => text.slice(0, -8) + (text.endsWith('AAAAAAA') ? 'BBBBBBBB' : 'AAAAAAAA'))
    let at = 0
    const signIn = (text: string) => http('POST', AUTHENTICATE, { authorization: `Bearer ${text}` })
    const bareVerify = { headers: { authorization: `Bearer ${once}`, 'x-public-key': publicKeyPem } }
    await measure(product, bare, [
      {
        operation: 'login by JWT, RS256, distinct tokens',
        request: () => signIn(distinct[at++ % TOKENS] ?? ''),
        maxRequests: TOKENS - WARM_UP_REQUESTS,
        expectStatus: 200,
        aimCpuMs: 0.35,
        bare: bareVerify,
      },
      {
        operation: 'login, same token again',
        request: () => signIn(once),
        expectStatus: 200,
        aimCpuMs: 0.3,
        bare: bareVerify,
      },
      {
        operation: 'login refused (bad signature)',
        request: () => signIn(forged[at++ % TOKENS] ?? ''),
        maxRequests: TOKENS - WARM_UP_REQUESTS,
        expectStatus: 401,
        aimCpuMs: 0.2,
        bare: bareVerify,
      },
    ])
    console.log(`memory of the server after the load: ${Math.round(memoryMibOf(product.pid))} MiB`)
  })
}

async function fill(product: Product, { signers, identities }: { signers: number; identities: number }) {
  const certificate = makeTestCertificate({ kind: 'rsa2048', commonName: 'bench' })
  const common = { enabled: true, audience: AUDIENCE, useExternalId: true }
  const static_ = { ...common, name: 'bench', issuer: ISSUER, kid: 'bench', certPem: certificate.pem }
  await product.call('POST', `${MANAGEMENT}/ext-jwt-signers`, static_)
  for (let index = 1; index < signers; index++) {
    const other = { ...common, name: `s${index}`, issuer: `https://${index}.example`, enabled: false }
    await product.call('POST', `${MANAGEMENT}/ext-jwt-signers`, { ...other, jwksEndpoint: 'http://127.0.0.1:1024/' })
  }
  for (let index = 0; index < identities; index++) {
    const identity = { name: `user ${index}`, type: 'Default', isAdmin: false, externalId: `user-${index}` }
    await product.call('POST', `${MANAGEMENT}/identities`, identity)
  }
  const key = mintKeyFrom(certificate.privateKey, 'RSA', 'bench')
  const publicKeyPem = certificate.publicKey.export({ type: 'spki', format: 'der' }).toString('base64')
  return { key, publicKeyPem }
}
