import { createHash, type KeyObject } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { makeTestCertificate, mintKeyFrom, mintToken } from '@countersign/testkit'
import type { Row } from './report/result.ts'
import type { BareServer } from './support/bare-process.ts'
import type { BenchPart, BenchRun } from './support/bench-run.ts'
import { benchIdentity } from './support/fill-database.ts'
import { jwtLoginRequest } from './support/login-operations.ts'
import { measureOperations, OPERATION_COLUMNS } from './support/measure-operations.ts'
import { type Installation, MANAGEMENT, NO_LIMITS, type Product, withInstallation } from './support/product.ts'
import { roundRobin } from './support/round-robin.ts'
import { requestsFor } from './support/split-requests.ts'
import { stopAndFill } from './support/stop-and-fill.ts'

/** The provider is on this machine. */
const LOCAL_KEYS = {
  ...NO_LIMITS,
  COUNTERSIGN_JWKS_ALLOW_HTTP: '127.0.0.1',
  COUNTERSIGN_JWKS_ALLOW_LOOPBACK: 'true',
}
const IDENTITIES = 500
const CONNECTIONS = 64
/** What measurements of the same login differ by. */
const NOISE = 1.1

/** A login with each source of keys, compared with fetched keys. */
export const keys: BenchPart = async (run) => {
  for (const name of run.options.databases) {
    await withInstallation(name, (installation, bare) => measure(run, installation, bare), { settings: LOCAL_KEYS })
  }
}

const certificate = makeTestCertificate({ kind: 'rsa2048', commonName: 'keys' })

async function measure(run: BenchRun, installation: Installation, bare: BareServer): Promise<void> {
  const provider = createServer((_, response) => {
    response.setHeader('content-type', 'application/json').end(JSON.stringify(keySetOf(certificate.publicKey)))
  })
  await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve))
  const jwksEndpoint = `http://127.0.0.1:${(provider.address() as AddressInfo).port}/`
  const sources = {
    jwksEndpoint: { jwksEndpoint },
    jwks: { jwks: keySetOf(certificate.publicKey) },
    certPems: { certPems: [certificate.pem] },
    pushedKeys: { pushedKeys: { maxAgeSeconds: 86_400 } },
  }
  const filling = await installation.start()
  for (const [name, source] of Object.entries(sources)) await createSigner(filling, name, source)
  await stopAndFill(filling, installation, IDENTITIES)
  const product = await installation.start()
  const count = requestsFor(run.options.seconds)
  const rows: Row[] = []
  for (const name of Object.keys(sources)) {
    const key = mintKeyFrom(certificate.privateKey, 'RSA', kidOf(name))
    const exp = Math.floor(Date.now() / 1000) + 21_600
    const mint = (at: number) => {
      const sub = benchIdentity(at % IDENTITIES).externalId
      return mintToken({ key, claims: { iss: `https://${name}.example`, aud: 'bench', sub, exp, jti: String(at) } })
    }
    const fetched = rows[0]?.measures.cpuMs?.value
    const tokens = Array.from({ length: count }, (_, at) => mint(at))
    const publicKey = certificate.publicKey.export({ type: 'spki', format: 'der' }).toString('base64')
    const bareSigner = JSON.stringify({ issuer: `https://${name}.example`, audience: 'bench', publicKey })
    const [row] = await measureOperations(
      { product, bare },
      [
        {
          operation: `login with keys from ${name}, RS256`,
          expectStatus: 200,
          connections: CONNECTIONS,
          maxRequests: count,
          request: roundRobin(tokens.map(jwtLoginRequest)),
          targets: fetched === undefined ? {} : { cpuMs: { atMost: fetched * NOISE } },
          bare: { headers: { authorization: `Bearer ${tokens[0]}`, 'x-signer': bareSigner } },
        },
      ],
      run,
    )
    if (row) rows.push(row)
  }
  run.report({
    title: `Sources of keys: ${installation.database.name}`,
    text: `Distinct tokens over TLS, ${CONNECTIONS} connections. The targets are relative to fetched keys in the same run.`,
    columns: OPERATION_COLUMNS,
    rows,
  })
  await product.stop()
  provider.close()
}

/** The kid of a certificate of several is its fingerprint. */
const kidOf = (source: string): string =>
  source === 'certPems' ? createHash('sha1').update(certificate.der).digest('hex') : 'bench'

function keySetOf(publicKey: KeyObject) {
  return { keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'bench' }] }
}

async function createSigner({ call }: Product, name: string, source: object): Promise<void> {
  const settings = { name, enabled: true, useExternalId: true, issuer: `https://${name}.example`, audience: 'bench' }
  const { data } = await call('POST', `${MANAGEMENT}/ext-jwt-signers`, { ...settings, ...source })
  if (!('pushedKeys' in source)) return
  const path = `${MANAGEMENT}/ext-jwt-signers/${(data as unknown as { id: string }).id}/pushed-keys`
  await call('PUT', path, keySetOf(certificate.publicKey), { 'if-match': '*' })
}
