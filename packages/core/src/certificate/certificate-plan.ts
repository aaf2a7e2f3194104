import type { KeyObject } from 'node:crypto'
import { takeRandomBytes } from '../random-pool.ts'
import type { AltName } from './alt-name.ts'
import { CERTIFICATE_PROFILES, type CertificateProfileName } from './certificate-profiles.ts'
import type { DistinguishedName } from './distinguished-name.ts'

/** What to certify. All members are decided by the controller, never by a caller. */
export interface CertificateRequest {
  readonly profile: CertificateProfileName
  readonly subject: DistinguishedName
  readonly publicKey: KeyObject
  readonly altNames: readonly AltName[]
  /** The encoded public key, when it is already known. */
  readonly publicKeyInfo?: Buffer
  /** Where the list of revoked certificates is that covers it. */
  readonly revocationListUrl?: string
  /** Replaces the profile's lifetime. The certificate never outlives its issuer. */
  readonly lifetimeMs?: number
}

/** The issuer's data for building and checking a certificate. */
export interface IssuerFacts {
  /** Its encoded subject. */
  readonly name: Buffer
  readonly publicKey: KeyObject
  /** The same key, encoded. */
  readonly publicKeyInfo: Buffer
  readonly notAfter: Date
}

/** The complete content of a certificate: a request with serial number, dates and issuer. */
export interface CertificatePlan extends CertificateRequest {
  /** The encoded public key. Encoded once, because the export takes longer than everything else. */
  readonly publicKeyInfo: Buffer
  readonly serial: Buffer
  readonly notBefore: Date
  readonly notAfter: Date
  /** Undefined for a self-signed certificate. */
  readonly issuer: IssuerFacts | undefined
}

const SERIAL_BYTES = 16
const DAY_MS = 24 * 60 * 60 * 1000
/** For clients whose clock is behind ours. */
const BACKDATED_MS = 5 * 60 * 1000

export function planCertificate(
  request: CertificateRequest,
  issuer: IssuerFacts | undefined,
  now: Date,
): CertificatePlan {
  const lifetimeMs = request.lifetimeMs ?? CERTIFICATE_PROFILES[request.profile].lifetimeDays * DAY_MS
  const requestedEnd = toSeconds(now.getTime() + lifetimeMs)
  const notAfter = issuer && issuer.notAfter < requestedEnd ? issuer.notAfter : requestedEnd
  const notBefore = toSeconds(now.getTime() - BACKDATED_MS)
  const publicKeyInfo = request.publicKeyInfo ?? request.publicKey.export({ format: 'der', type: 'spki' })
  return { ...request, publicKeyInfo, serial: createSerial(), notBefore, notAfter, issuer }
}

/** A random positive serial number of exactly 16 octets. */
export function createSerial(): Buffer {
  const serial = Buffer.from(takeRandomBytes(SERIAL_BYTES))
  serial[0] = (serial.readUInt8(0) & 0x3f) | 0x40
  return serial
}

function toSeconds(milliseconds: number): Date {
  return new Date(Math.floor(milliseconds / 1000) * 1000)
}
