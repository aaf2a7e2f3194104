import type { KeyObject } from 'node:crypto'
import { OID } from './object-identifiers.ts'

/** Bit numbers of the keyUsage extension, RFC 5280 section 4.2.1.3. */
const KEY_USAGE = { digitalSignature: 0, keyEncipherment: 2, keyCertSign: 5, crlSign: 6 } as const

/** What a certificate may be used for. Both `buildCertificate` and `checkCertificate` use it. */
export interface CertificateProfile {
  readonly isCa: boolean
  readonly pathLength?: number
  readonly keyUsage: readonly number[]
  /** Replaces `keyUsage` for RSA keys. */
  readonly rsaKeyUsage?: readonly number[]
  readonly extendedKeyUsage: readonly string[]
  /** Unless the request sets a lifetime. */
  readonly lifetimeDays: number
}

export const CERTIFICATE_PROFILES = {
  rootCa: {
    isCa: true,
    pathLength: 1,
    keyUsage: [KEY_USAGE.keyCertSign, KEY_USAGE.crlSign],
    extendedKeyUsage: [],
    lifetimeDays: 3650,
  },
  intermediateCa: {
    isCa: true,
    pathLength: 0,
    keyUsage: [KEY_USAGE.keyCertSign, KEY_USAGE.crlSign],
    extendedKeyUsage: [],
    lifetimeDays: 3640,
  },
  tlsServer: {
    isCa: false,
    keyUsage: [KEY_USAGE.digitalSignature],
    extendedKeyUsage: [OID.serverAuth],
    lifetimeDays: 365,
  },
  client: {
    isCa: false,
    keyUsage: [KEY_USAGE.digitalSignature],
    rsaKeyUsage: [KEY_USAGE.digitalSignature, KEY_USAGE.keyEncipherment],
    extendedKeyUsage: [OID.clientAuth],
    lifetimeDays: 365,
  },
} as const satisfies Record<string, CertificateProfile>

export type CertificateProfileName = keyof typeof CERTIFICATE_PROFILES

/** The bits of the keyUsage extension for a key of this type. */
export function keyUsageFor(profile: CertificateProfile, publicKey: KeyObject): readonly number[] {
  return (publicKey.asymmetricKeyType === 'rsa' ? profile.rsaKeyUsage : undefined) ?? profile.keyUsage
}
