import { hash, type KeyObject } from 'node:crypto'
import {
  AppError,
  type AuthPolicySettings,
  type CertificateIssuer,
  type CsrKey,
  certificateDays,
  formatPem,
  issueClientCertificate,
  readCsr,
} from '@countersign/core'
import type { Clock } from '../clock.ts'
import type { KeyMaterial } from './load-key-material.ts'

/** An issued certificate with the values to record. */
export interface IssuedCertificate {
  /** The leaf only. */
  readonly certPem: string
  /** The leaf and the intermediates, without the root. */
  readonly chainPem: string
  /** The CA bundle that clients must trust. */
  readonly caPem: string
  /** The subject, `CN=…`. */
  readonly subject: string
  /** Lower-case hex SHA-1 of the DER. */
  readonly fingerprint: string
  /** Base64url SHA-256 of the SubjectPublicKeyInfo. */
  readonly publicKeyDigest: string
  readonly notBefore: number
  readonly notAfter: number
}

/**
 * Issues certificates for clients. Only the key of a CSR is used. Fails with COULD_NOT_PROCESS_CSR or REQUEST_ENTITY_TOO_LARGE for a
 * bad CSR, and with CA_UNAVAILABLE while the CA cannot sign.
 */
export interface ClientCertificates {
  /** For logins of an identity, whose policy can shorten the validity. Accepted only once its fingerprint is recorded. */
  issue(
    csrPem: string,
    identityId: string,
    policy?: Pick<AuthPolicySettings, 'certificate'>,
  ): Promise<IssuedCertificate>
  /** For the connections of one session, valid for 12 hours unless given. */
  issueForSession(
    csrPem: string,
    of: {
      readonly identityId: string
      readonly apiSessionId: string
      readonly certificateId: string
      readonly lifetimeMs?: number
    },
  ): Promise<IssuedCertificate>
  /** The CA certificates that client certificates are verified against, DER. */
  authorities(): readonly Buffer[]
  caPem(): string
}

/** The part of the key material that issuing needs. */
export type IssuingKeys = Pick<KeyMaterial, 'issuer' | 'trustDomain' | 'authorities' | 'caBundlePem'> &
  Partial<Pick<KeyMaterial, 'earlierIssuers'>>

/** The CAs that can sign, the current one first. */
export function issuersOf({ issuer, earlierIssuers = [] }: IssuingKeys): readonly CertificateIssuer[] {
  return issuer ? [issuer, ...earlierIssuers] : earlierIssuers
}

export interface ClientCertificatesOptions {
  /** The material in use now; a renewal changes it. */
  readonly keys: () => IssuingKeys
  readonly clock: Clock
  readonly clientDays: number
  /** Where the revocation list of an issuer is. */
  readonly revocationListUrl?: (issuer: CertificateIssuer) => string
  /** Whether a signer uses this key; such a key gets no certificate. */
  readonly isSignerKey?: (publicKey: KeyObject) => Promise<boolean>
}

const DAY_MS = 24 * 60 * 60 * 1000
const SESSION_CERTIFICATE_MS = 12 * 60 * 60 * 1000

export function createClientCertificates(options: ClientCertificatesOptions): ClientCertificates {
  const { keys, clock, clientDays, isSignerKey, revocationListUrl } = options
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
    checkNotCaKey(key, authorities)
    if (await isSignerKey?.(key.publicKey)) throw refusedKey('its key is the key of a signer')
    const { der, commonName, notBefore, notAfter } = await issueClientCertificate(
      {
        key,
        trustDomain,
        identityId,
        path,
        lifetimeMs,
        ...(revocationListUrl && { revocationListUrl: revocationListUrl(issuer) }),
      },
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
    issue: (csrPem, identityId, policy) => {
      const days = policy ? certificateDays(policy, clientDays) : clientDays
      return issue(csrPem, identityId, [], days * DAY_MS)
    },
    issueForSession: (csrPem, { identityId, apiSessionId, certificateId, lifetimeMs = SESSION_CERTIFICATE_MS }) => {
      const path = ['apiSession', apiSessionId, 'apiSessionCertificate', certificateId]
      return issue(csrPem, identityId, path, lifetimeMs)
    },
    authorities: () => keys().authorities,
    caPem: () => keys().caBundlePem,
  }
}

/** Refuses a CSR with a key of our own CA: the client holds that key, or wants to be mistaken for the CA. */
function checkNotCaKey({ publicKeyInfo }: CsrKey, authorities: readonly Buffer[]): void {
  // A certificate contains its encoded key, so searching for the bytes suffices.
  if (authorities.some((certificate) => certificate.includes(publicKeyInfo))) {
    throw refusedKey('its key is the key of the certificate authority')
  }
}

function refusedKey(message: string): AppError {
  return new AppError('COULD_NOT_PROCESS_CSR', { message: `${message}; generate a new key for the certificate` })
}
