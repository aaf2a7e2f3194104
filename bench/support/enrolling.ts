import { makeTestCertificate, makeTestCsr, mintKeyFrom, mintToken } from '@countersign/testkit'
import { measure } from './measure.ts'
import { http, MANAGEMENT, withServers } from './product.ts'

const ISSUER = 'https://bench.example'
const AUDIENCE = 'bench'
const ENROLLMENTS = 6_000
const ENROLL = '/edge/client/v1/enroll/token'

/** Enrolling as clients do it, stored before it is answered, beside a bare HTTPS server that only verifies the token and answers as many bytes. */
export async function measureEnrolling(): Promise<void> {
  await withServers(async (product, bare) => {
    const { publicKey, privateKey, pem: certPem } = makeTestCertificate({ kind: 'rsa2048', commonName: 'bench' })
    await product.call('POST', `${MANAGEMENT}/ext-jwt-signers`, {
      name: 'bench',
      enabled: true,
      issuer: ISSUER,
      audience: AUDIENCE,
      kid: 'bench',
      certPem,
      useExternalId: true,
      enrollToCertEnabled: true,
      enrollToTokenEnabled: true,
      enrollAttributeClaimsSelector: '/groups',
    })
    process.stderr.write(`${ENROLLMENTS} requests of each kind …\n`)
    const key = mintKeyFrom(privateKey, 'RSA', 'bench')
    const exp = Math.floor(Date.now() / 1000) + 3600
    const tokenOf = (sub: string) =>
      mintToken({ key, claims: { iss: ISSUER, aud: AUDIENCE, sub, exp, groups: ['engineering', 'sales'] } })
    const requestsOf = (kind: string, bodyOf: () => object) =>
      Array.from({ length: ENROLLMENTS }, (_, number) =>
        http('POST', ENROLL, { authorization: `Bearer ${tokenOf(`${kind}-${number}`)}` }, JSON.stringify(bodyOf())),
      )
    const oneAfterTheOther = (requests: readonly string[]) => {
      let at = 0
      return { request: () => requests[at++] ?? '', maxRequests: ENROLLMENTS }
    }
    const toCertificate = requestsOf('cert', () => ({ clientCsr: makeTestCsr().pem }))
    const bareVerify = {
      headers: {
        authorization: `Bearer ${tokenOf('bare')}`,
        'x-public-key': publicKey.export({ type: 'spki', format: 'der' }).toString('base64'),
      },
    }
    await measure(product, bare, [
      {
        operation: 'enroll to a certificate (P-256), RS256 token',
        ...oneAfterTheOther(toCertificate),
        expectStatus: 200,
        aimCpuMs: 1.5,
        bare: bareVerify,
      },
      {
        operation: 'enroll to token use, RS256 token',
        ...oneAfterTheOther(requestsOf('token', () => ({}))),
        expectStatus: 200,
        aimCpuMs: 0.8,
        bare: bareVerify,
      },
      {
        operation: 'enroll again, refused',
        request: () => toCertificate[0] ?? '',
        expectStatus: 409,
        aimCpuMs: 0.4,
        bare: bareVerify,
      },
    ])
  })
}
