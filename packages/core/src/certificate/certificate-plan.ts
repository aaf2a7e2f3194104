import type { KeyObject } from 'node:crypto'
import { takeRandomBytes } from '../random-pool.ts'
import type { AltName } from './alt-name.ts'
import { CERTIFICATE_PROFILES, type CertificateProfileName } from './certificate-profiles.ts'
import type { DistinguishedName } from './distinguished-name.ts'

/** What we have decided to certify; everything here comes from us, never from a caller. */
export interface CertificateRequest {
  readonly profile: CertificateProfileName
  readonly subject: DistinguishedName
  readonly publicKey: KeyObject
  readonly altNames: readonly AltName[]
  /** The public key as encoded, where that is known already. */
  readonly publicKeyInfo?: Buffer
  /** Instead of the profile's; never beyond the issuer's end. */
  readonly lifetimeMs?: number
}

/** What is needed of the issuer to build and check a certificate. */
export interface IssuerFacts {
  /** Its subject as encoded. */
  readonly name: Buffer
  readonly publicKey: KeyObject
  /** The same key as encoded. */
  readonly publicKeyInfo: Buffer
  readonly notAfter: Date
}

/** A request with its serial number, its dates and its issuer: all that goes into the certificate. */
export interface CertificatePlan extends CertificateRequest {
  /** The public key as encoded; once, because that takes longer than all the rest. */
  readonly publicKeyInfo: Buffer
  readonly serial: Buffer
  readonly notBefore: Date
  readonly notAfter: Date
  /** Undefined for a certificate that signs itself. */
  readonly issuer: IssuerFacts | undefined
}

const SERIAL_BYTES = 16
const DAY_MS = 24 * 60 * 60 * 1000
/** For clients whose clock is a little behind ours. */
const BACKDATED_MS = 5 * 60 * 1000

export function planCertificate(
  request: CertificateRequest,
  issuer: IssuerFacts | undefined,
  now: Date,
): CertificatePlan {
  const lifetimeMs = request.lifetimeMs ?? CERTIFICATE_PROFILES[request.profile].lifetimeDays * DAY_MS
  const wanted = toSeconds(now.getTime() + lifetimeMs)
  const notAfter = issuer && issuer.notAfter < wanted ? issuer.notAfter : wanted
  const notBefore = toSeconds(now.getTime() - BACKDATED_MS)
  const publicKeyInfo = request.publicKeyInfo ?? request.publicKey.export({ format: 'der', type: 'spki' })
  return { ...request, publicKeyInfo, serial: createSerial(), notBefore, notAfter, issuer }
}

/** 128 random bits, positive, and always 16 octets long. */
export function createSerial(): Buffer {
  const serial = Buffer.from(takeRandomBytes(SERIAL_BYTES))
  serial[0] = ((serial[0] ?? 0) & 0x3f) | 0x40
  return serial
}

function toSeconds(milliseconds: number): Date {
  return new Date(Math.floor(milliseconds / 1000) * 1000)
}
