import { verify } from 'node:crypto'
import { ISSUER_SIGNATURE_ALGORITHM } from './build-certificate.ts'
import { buildAuthorityKeyIdentifier, buildExtension, computeKeyId } from './build-extensions.ts'
import { joinCertificate } from './build-tbs-certificate.ts'
import { TAG } from './der-reader.ts'
import { element, explicitTag, integer, sequence, time } from './der-writer.ts'
import type { CertificateIssuer } from './issue-certificate.ts'
import { OID } from './object-identifiers.ts'

/** Why a certificate is on the list, with the codes of RFC 5280 section 5.3.1. Only a held certificate can become valid again. */
export const REVOCATION_REASONS = {
  superseded: 4,
  cessationOfOperation: 5,
  certificateHold: 6,
  privilegeWithdrawn: 9,
} as const

export type RevocationReason = keyof typeof REVOCATION_REASONS

export interface RevokedCertificate {
  /** Hex. */
  readonly serial: string
  readonly revokedAt: number
  readonly reason: RevocationReason
}

export interface RevocationListContent {
  /** Greater than the number of every earlier list of the issuer. */
  readonly number: number
  /** Milliseconds since 1970, like the other instants. */
  readonly thisUpdate: number
  readonly nextUpdate: number
  readonly revoked: readonly RevokedCertificate[]
}

const VERSION_2 = 1
const ENUMERATED = 0x0a

/** By reason: the extensions of an entry, always the same bytes. */
const REASON_EXTENSIONS = Object.fromEntries(
  Object.entries(REVOCATION_REASONS).map(([reason, code]) => {
    const value = element(ENUMERATED, Buffer.from([code]))
    return [reason, sequence(buildExtension(OID.crlReason, value))]
  }),
) as Readonly<Record<RevocationReason, Buffer>>

/** Identifies an issuer by its key, in hex, as the certificates and lists do that it signs. */
export function issuerKeyIdOf({ facts }: Pick<CertificateIssuer, 'facts'>): string {
  return computeKeyId(facts.publicKeyInfo).toString('hex')
}

/** Builds and signs a certificate revocation list (RFC 5280 section 5), and verifies its signature. Returns it in DER. */
export async function issueRevocationList(content: RevocationListContent, issuer: CertificateIssuer): Promise<Buffer> {
  const tbs = buildRevocationList(content, issuer)
  const signature = await issuer.sign(tbs)
  if (!verify('sha256', tbs, issuer.facts.publicKey, signature)) {
    throw new Error('the signed revocation list does not verify with the key of its issuer')
  }
  return joinCertificate(tbs, ISSUER_SIGNATURE_ALGORITHM, signature)
}

function buildRevocationList(
  { number, thisUpdate, nextUpdate, revoked }: RevocationListContent,
  { facts }: CertificateIssuer,
): Buffer {
  const extensions = sequence(
    buildAuthorityKeyIdentifier(facts.publicKeyInfo),
    buildExtension(OID.crlNumber, integer(number)),
  )
  return sequence(
    integer(VERSION_2),
    ISSUER_SIGNATURE_ALGORITHM,
    facts.name,
    time(new Date(thisUpdate)),
    time(new Date(nextUpdate)),
    // An empty list has no such member. Joined first: there can be more entries than a call has arguments.
    ...(revoked.length === 0 ? [] : [element(TAG.sequence, Buffer.concat(revoked.map(buildEntry)))]),
    explicitTag(0, extensions),
  )
}

function buildEntry({ serial, revokedAt, reason }: RevokedCertificate): Buffer {
  return sequence(integer(Buffer.from(serial, 'hex')), time(new Date(revokedAt)), REASON_EXTENSIONS[reason])
}
