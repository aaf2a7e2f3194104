import { buildExtension, der, OID } from '@countersign/core'
import { makeTestCertificate, type TestCertificate, type TestCertificateOptions } from './certificates.ts'

export interface TestAuthorityOptions extends TestCertificateOptions {
  readonly isCa?: boolean
  readonly pathLength?: number
  readonly keyUsage?: TestKeyUsage
  readonly usage?: 'clientAuth' | 'serverAuth'
  /** Adds name constraints, which the product does not evaluate. */
  readonly nameConstraints?: 'critical' | 'not critical'
}

const KEY_USAGE_BITS = { digitalSignature: [0], keyEncipherment: [2], keyCertSign: [5] }
export type TestKeyUsage = keyof typeof KEY_USAGE_BITS

/** Builds the extension with one key usage. */
export const buildTestKeyUsage = (usage: TestKeyUsage): Buffer =>
  buildExtension(OID.keyUsage, der.namedBits(KEY_USAGE_BITS[usage]), true)

/** Mints the certificate of a CA. */
export function makeTestAuthority(options: TestAuthorityOptions = {}): TestCertificate {
  const { isCa = true, pathLength, keyUsage, usage, nameConstraints, extensions = [], ...rest } = options
  const length = pathLength === undefined ? [] : [der.integer(pathLength)]
  const constraints = der.sequence(...(isCa ? [der.boolean(true)] : []), ...length)
  return makeTestCertificate({
    commonName: 'test CA',
    ...rest,
    extensions: [
      buildExtension(OID.basicConstraints, constraints, true),
      ...(keyUsage ? [buildTestKeyUsage(keyUsage)] : []),
      ...(usage ? [buildExtension(OID.extendedKeyUsage, der.sequence(der.oid(OID[usage])))] : []),
      ...(nameConstraints ? [buildExtension(OID.nameConstraints, der.sequence(), nameConstraints === 'critical')] : []),
      ...extensions,
    ],
  })
}
