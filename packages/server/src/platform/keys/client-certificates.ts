import { hash, type KeyObject } from 'node:crypto'
import { AppError, type CsrKey, formatPem, issueClientCertificate, readCsr } from '@countersign/core'
import type { Clock } from '../clock.ts'
import type { KeyMaterial } from './load-key-material.ts'

/** A certificate that was just issued, with what has to be recorded of it. */
export interface IssuedCertificate {
  /** The leaf only. */
  readonly certPem: string
  /** The leaf and the intermediates, without the root. */
  readonly chainPem: string
  /** What clients have to trust to reach this controller. */
  readonly caPem: string
  /** The subject as people write it, `CN=…`. */
  readonly subject: string
  /** Lower-case hex SHA-1 of the DER. */
  readonly fingerprint: string
  /** Base64url SHA-256 of the SubjectPublicKeyInfo. */
  readonly publicKeyDigest: string
  readonly notBefore: number
  readonly notAfter: number
}

/**
 * Issues certificates for clients. Of a request only the key is used. Throws AppError: COULD_NOT_PROCESS_CSR or
 * REQUEST_ENTITY_TOO_LARGE for what was sent, CA_UNAVAILABLE while the CA cannot sign.
 */
export interface ClientCertificates {
  /** For an identity to sign in with. Valid only once its fingerprint is recorded. */
  issue(csrPem: string, identityId: string): Promise<IssuedCertificate>
  /** For the connections of one session, 12 hours. */
  issueForSession(
    csrPem: string,
    of: { readonly identityId: string; readonly apiSessionId: string; readonly certificateId: string },
  ): Promise<IssuedCertificate>
  /** The CA bundle that client certificates are judged against, DER. */
  authorities(): readonly Buffer[]
  caPem(): string
}

/** What issuing takes of the controller's keys. */
export type IssuingKeys = Pick<KeyMaterial, 'issuer' | 'trustDomain' | 'authorities' | 'caBundlePem'>

export interface ClientCertificatesOptions {
  /** The material in use now; it may be other material with every call. */
  readonly keys: () => IssuingKeys
  readonly clock: Clock
  readonly clientDays: number
  /** Whether a signer uses this key; such a one gets no certificate. */
  readonly isSignerKey?: (publicKey: KeyObject) => Promise<boolean>
}

const DAY_MS = 24 * 60 * 60 * 1000
const SESSION_CERTIFICATE_MS = 12 * 60 * 60 * 1000

export function createClientCertificates(options: ClientCertificatesOptions): ClientCertificates {
  const { keys, clock, clientDays, isSignerKey } = options
  const issue = async (
    csrPem: string,
    identityId: string,
    path: readonly string[],
    lifetimeMs: number,
  ): Promise<IssuedCertificate> => {
    const { issuer, trustDomain, authorities, caBundlePem } = keys()
    const now = new Date(clock.now())
    if (!issuer || issuer.facts.notAfter <= now) throw new AppError('CA_UNAVAILABLE')
    const key = readCsr(csrPem)
    checkNotOurs(key, authorities)
    if (await isSignerKey?.(key.publicKey)) throw foreignKey('its key is one of a signer')
    const { der, commonName, notBefore, notAfter } = await issueClientCertificate(
      { key, trustDomain, identityId, path, lifetimeMs },
      issuer,
      now,
    )
    const certPem = formatPem('CERTIFICATE', der)
    return {
      certPem,
      chainPem: certPem + formatPem('CERTIFICATE', issuer.certificate),
      caPem: caBundlePem,
      subject: `CN=${commonName}`,
      fingerprint: hash('sha1', der, 'hex'),
      publicKeyDigest: hash('sha256', key.publicKeyInfo, 'base64url'),
      notBefore: notBefore.getTime(),
      notAfter: notAfter.getTime(),
    }
  }
  return {
    issue: (csrPem, identityId) => issue(csrPem, identityId, [], clientDays * DAY_MS),
    issueForSession: (csrPem, { identityId, apiSessionId, certificateId }) => {
      const path = ['apiSession', apiSessionId, 'apiSessionCertificate', certificateId]
      return issue(csrPem, identityId, path, SESSION_CERTIFICATE_MS)
    },
    authorities: () => keys().authorities,
    caPem: () => keys().caBundlePem,
  }
}

/** Whoever can ask for a certificate over a key of our CA holds that key, or is about to confuse somebody. */
function checkNotOurs({ publicKeyInfo }: CsrKey, authorities: readonly Buffer[]): void {
  // A certificate holds its key as encoded, and no other certificate of ours holds somebody else's.
  if (authorities.some((certificate) => certificate.includes(publicKeyInfo))) {
    throw foreignKey('its key is one of the certificate authority itself')
  }
}

function foreignKey(message: string): AppError {
  return new AppError('COULD_NOT_PROCESS_CSR', { message: `${message}; make a new key for the certificate` })
}
