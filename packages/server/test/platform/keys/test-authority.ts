import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import {
  buildSpiffeUri,
  type CertificateIssuer,
  createIssuer,
  createSigner,
  formatPem,
  issueCertificate,
  issueSelfSigned,
} from '@countersign/core'

/** A CA like the controller's, root and intermediate, without files. */
export interface TestAuthority {
  readonly trustDomain: string
  readonly issuer: CertificateIssuer
  /** Root and intermediate, DER. */
  readonly authorities: readonly Buffer[]
  readonly caBundlePem: string
  readonly rootKey: KeyObject
  readonly intermediateKey: KeyObject
}

const TRUST_DOMAIN = 'countersign-test'

export async function createTestAuthority(now = new Date()): Promise<TestAuthority> {
  const rootKeys = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const keys = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const sign = createSigner(rootKeys.privateKey)
  const altNames = [buildSpiffeUri(TRUST_DOMAIN)]
  const root = await issueSelfSigned(
    { profile: 'rootCa', subject: { commonName: 'Test Root CA' }, publicKey: rootKeys.publicKey, altNames },
    sign,
    now,
  )
  const intermediate = await issueCertificate(
    { profile: 'intermediateCa', subject: { commonName: 'Test CA' }, publicKey: keys.publicKey, altNames },
    createIssuer(root, sign),
    now,
  )
  const authorities = [root, intermediate]
  return {
    trustDomain: TRUST_DOMAIN,
    issuer: createIssuer(intermediate, createSigner(keys.privateKey)),
    authorities,
    caBundlePem: authorities.map((der) => formatPem('CERTIFICATE', der)).join(''),
    rootKey: rootKeys.privateKey,
    intermediateKey: keys.privateKey,
  }
}

let shared: Promise<TestAuthority> | undefined

/** The CA of this test file, created on first use. */
export function getTestAuthority(): Promise<TestAuthority> {
  shared ??= createTestAuthority()
  return shared
}
