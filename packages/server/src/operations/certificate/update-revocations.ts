import { operation } from '../../store/operation.ts'
import { findOutdatedCertificates, findUnrecordedCertificates } from '../../store/reads/issued-certificate-reads.ts'
import {
  deleteExpiredCertificates,
  type PublishedList,
  recordIssuedCertificate,
  setRevocations,
  storeRevocationList,
  touchRevocationList,
} from '../../store/writes/issued-certificate-writes.ts'

/** Puts certificates on the lists of their issuers and takes them off, as what they rest on requires now. */
export const updateRevocations = operation({
  name: 'certificate.updateRevocations',
  access: 'none',
  isRecorded: false,
  async run(tx, { serials }: { readonly serials: readonly string[] }): Promise<void> {
    const outdated = await findOutdatedCertificates(tx, { serials }, tx.now)
    for (const [reason, certificates] of Map.groupBy(outdated, (certificate) => certificate.reason)) {
      await setRevocations(
        tx,
        certificates.map(({ serial }) => serial),
        reason,
      )
    }
    for (const issuer of new Set(outdated.map(({ issuerKeyId }) => issuerKeyId))) await touchRevocationList(tx, issuer)
  },
})

/** Stores a signed list, unless another one was stored meanwhile. Returns whether it is stored. */
export const publishRevocationList = operation({
  name: 'certificate.publishRevocationList',
  access: 'none',
  isRecorded: false,
  async run(tx, list: PublishedList): Promise<boolean> {
    return storeRevocationList(tx, list)
  },
})

const BATCH = 200

/** Records certificates that an earlier release issued. Returns whether there may be more. */
export const recordEarlierCertificates = operation({
  name: 'certificate.recordEarlier',
  access: 'none',
  isRecorded: false,
  async run(tx): Promise<boolean> {
    const rows = await findUnrecordedCertificates(tx.db, BATCH)
    for (const { id, identity_id: identityId, fingerprint, cert_pem: certPem } of rows) {
      await recordIssuedCertificate(tx, {
        certPem,
        fingerprint,
        identityId,
        authenticatorId: id,
        isOfSession: false,
      })
    }
    return rows.length === BATCH
  },
})

/** An expired certificate stays on one list that is published after its end (RFC 5280 section 3.3). */
const KEPT_MS = 2 * 24 * 60 * 60 * 1000

/** Forgets expired certificates. Returns whether there may be more. */
export const pruneCertificates = operation({
  name: 'certificate.prune',
  access: 'none',
  needsWriteLock: false,
  isRecorded: false,
  async run(tx): Promise<boolean> {
    return (await deleteExpiredCertificates(tx, tx.now - KEPT_MS, BATCH)) === BATCH
  },
})
