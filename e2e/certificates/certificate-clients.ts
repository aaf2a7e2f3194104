import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { get } from 'node:https'
import { join } from 'node:path'
import { makeTestCsr, type ReadyController } from '@countersign/testkit'
import { IDENTITIES } from '../workers/worker-clients.ts'

const CLIENT = '/edge/client/v1'

/** An identity with a certificate of the controller's CA. */
export interface Holder {
  readonly id: string
  /** The leaf and its intermediate. */
  readonly cert: string
  readonly key: string
}

let holders = 0

/** Creates an identity and redeems its one-time token. */
export async function enrollHolder(controller: ReadyController, session: string): Promise<Holder> {
  const body = { name: `holder ${holders++}`, type: 'Default', isAdmin: false, enrollment: { ott: true } }
  const created = await controller.request('POST', IDENTITIES, { session, body })
  assert.equal(created.status, 201, created.text)
  const { id } = created.json.data
  const { json } = await controller.request('GET', `${IDENTITIES}/${id}`, { session })
  const csr = makeTestCsr()
  const path = `${CLIENT}/enroll?method=ott&token=${json.data.enrollment.ott.token}`
  const enrolled = await controller.request('POST', path, { body: { clientCsr: csr.pem } })
  assert.equal(enrolled.status, 200, enrolled.text)
  return { id, cert: enrolled.json.data.cert, key: csr.privateKey.export({ type: 'pkcs8', format: 'pem' }) as string }
}

export async function loginStatus(controller: ReadyController, client: Holder): Promise<number> {
  return (await controller.request('POST', `${CLIENT}/authenticate?method=cert`, { client })).status
}

export const issuerOf = ({ cert }: Holder): string => new X509Certificate(cert).issuer

/** The list that the certificate names as its distribution point, DER. */
export async function listOf({ ready }: ReadyController, { cert }: Holder): Promise<Buffer> {
  const text = execFileSync('openssl', ['x509', '-noout', '-ext', 'crlDistributionPoints'], { input: cert }).toString()
  const { pathname, search } = new URL(/URI:(\S+)/.exec(text)?.[1] ?? assert.fail(text))
  const url = new URL(pathname + search, ready.baseUrl)
  return new Promise((resolve, reject) => {
    get(url, { ca: readFileSync(ready.caFile), agent: false }, async (response) => {
      assert.equal(response.statusCode, 200)
      resolve(Buffer.concat(await response.toArray()))
    }).on('error', reject)
  })
}

/** Verifies the chain from the root alone, and the certificate against the list, by OpenSSL. Returns its error, or undefined. */
export async function findFault(controller: ReadyController, holder: Holder): Promise<string | undefined> {
  const [root] = readFileSync(controller.ready.caFile, 'utf8').match(/-+BEGIN[^-]+-+[^-]+-+END[^-]+-+\n/) ?? []
  const file = (name: string, content: string | Buffer | undefined): string => {
    const path = join(controller.dataDir, name)
    writeFileSync(path, content ?? assert.fail(name))
    return path
  }
  const der = file('list.der', await listOf(controller, holder))
  const list = file('list.pem', execFileSync('openssl', ['crl', '-inform', 'DER', '-in', der]))
  const trust = ['-CAfile', file('root.pem', root), '-CRLfile', list, '-untrusted', file('chain.pem', holder.cert)]
  const { status, stderr } = spawnSync('openssl', ['verify', '-crl_check', ...trust, file('leaf.pem', holder.cert)])
  return status === 0 ? undefined : (/lookup: (.*)/.exec(stderr.toString())?.[1] ?? stderr.toString())
}
