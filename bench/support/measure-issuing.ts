import { createPublicKey, generateKeyPairSync, type KeyObject, sign, verify } from 'node:crypto'
import { buildSpiffeUri } from '../../packages/core/src/certificate/alt-name.ts'
import { createDerCursor, readOctetsOfBitString } from '../../packages/core/src/certificate/der-cursor.ts'
import { readDer, TAG } from '../../packages/core/src/certificate/der-reader.ts'
import { createIssuer, issueSelfSigned } from '../../packages/core/src/certificate/issue-certificate.ts'
import { createSigner } from '../../packages/core/src/certificate/sign-certificate.ts'
import { createClientCertificates } from '../../packages/server/src/platform/keys/client-certificates.ts'
import { makeTestCsr } from '../../packages/testkit/src/certificate-requests.ts'
import type { TestKeyKind } from '../../packages/testkit/src/certificates.ts'

const REQUESTS = 64
const IN_FLIGHT = 32
const ROUND_MS = 250

export interface IssuingFigures {
  readonly perSecond: number
  /** CPU time of the whole process, with its threads. */
  readonly cpuMs: number
}

/** Measures issuing without HTTP and database, and the bare signature operations: verify the request, sign. */
export async function measureIssuing(
  kind: TestKeyKind,
  rounds: number,
): Promise<{ issue: IssuingFigures; bare: IssuingFigures }> {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const now = new Date()
  const subject = { commonName: 'Bench CA' }
  const root = await issueSelfSigned(
    { profile: 'rootCa', subject, publicKey, altNames: [buildSpiffeUri('bench')] },
    createSigner(privateKey),
    now,
  )
  const keys = {
    issuer: createIssuer(root, createSigner(privateKey)),
    trustDomain: 'bench',
    authorities: [root],
    caBundlePem: '',
  }
  const certificates = createClientCertificates({ keys: () => keys, clock: { now: Date.now }, clientDays: 365 })
  const requests = Array.from({ length: REQUESTS }, () => makeTestCsr({ kind }))
  const bareRequests = requests.map(({ der }) => parseRequest(der))
  const at = <T>(list: readonly T[], index: number): T => list[index % REQUESTS] as T
  const tasks = {
    issue: (index: number) => certificates.issue(at(requests, index).pem, `identity-${index}`),
    bare: (index: number) => verifyAndSign(at(bareRequests, index), privateKey),
  }
  const best = { issue: NONE, bare: NONE }
  for (let round = 0; round <= rounds; round++) {
    for (const name of ['issue', 'bare'] as const) {
      const figures = await measure(tasks[name])
      if (round > 0 && figures.perSecond > best[name].perSecond) best[name] = figures
    }
  }
  return best
}

const NONE: IssuingFigures = { perSecond: 0, cpuMs: 0 }

async function measure(task: (index: number) => Promise<unknown>): Promise<IssuingFigures> {
  const cpu = process.cpuUsage()
  const start = performance.now()
  let done = 0
  const runWorker = async (): Promise<void> => {
    while (performance.now() < start + ROUND_MS) await task(done++)
  }
  await Promise.all(Array.from({ length: IN_FLIGHT }, runWorker))
  const { user, system } = process.cpuUsage(cpu)
  return { perSecond: (done / (performance.now() - start)) * 1000, cpuMs: (user + system) / 1000 / done }
}

interface BareRequest {
  readonly info: Buffer
  readonly keyInfo: Buffer
  readonly signature: Buffer
}

function parseRequest(request: Buffer): BareRequest {
  const outer = createDerCursor(readDer(request))
  const info = outer.take(TAG.sequence)
  outer.take(TAG.sequence)
  const signature = readOctetsOfBitString(outer.take(TAG.bitString))
  return { info: info.bytes, keyInfo: info.children[2]?.bytes ?? Buffer.alloc(0), signature }
}

/** The minimum of issuing: parse the key, verify the signature of the request, and sign as many bytes. */
function verifyAndSign({ info, keyInfo, signature }: BareRequest, caKey: KeyObject): Promise<Buffer> {
  const key = createPublicKey({ key: keyInfo, format: 'der', type: 'spki' })
  const hash = key.asymmetricKeyType === 'ed25519' ? null : 'sha256'
  return new Promise((resolve, reject) => {
    verify(hash, info, key, signature, (error, isValid) => {
      if (error || !isValid) return reject(error ?? new Error('a valid request was refused'))
      sign('sha256', Buffer.alloc(500), caKey, (failure, signed) => (failure ? reject(failure) : resolve(signed)))
    })
  })
}
