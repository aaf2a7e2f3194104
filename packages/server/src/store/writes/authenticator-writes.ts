import { DerError, readLeafDigests, readLeafExpiry, type Tags } from '@countersign/core'
import { insertRow } from '../prepared.ts'
import type { Transaction } from '../transaction.ts'
import { rejectDuplicates } from '../unique-violation.ts'
import { recordIssuedCertificate } from './issued-certificate-writes.ts'
import { skipLocked } from './skip-locked.ts'

const ENTITY = 'authenticators'

interface NewAuthenticator {
  readonly id: string
  readonly identityId: string
  readonly tags?: Tags
}

export interface NewPasswordAuthenticator extends NewAuthenticator {
  readonly username: string
  readonly passwordDigest: string
}

/** Fails with COULD_NOT_VALIDATE when the user name is taken. */
export async function insertPasswordAuthenticator(
  tx: Transaction,
  { username, passwordDigest, ...authenticator }: NewPasswordAuthenticator,
): Promise<void> {
  await rejectDuplicates({ updbUsername: username }, () =>
    insertRow(tx.db, 'authenticators', {
      ...sharedColumns(tx, authenticator),
      method: 'updb',
      username,
      password_digest: passwordDigest,
      cert_pem: null,
      fingerprint: null,
      public_key_digest: null,
    }),
  )
  tx.changed({ entity: ENTITY, id: authenticator.id, action: 'created' })
}

export interface NewCertificateAuthenticator extends NewAuthenticator {
  /** The leaf first, then the chain from it to the root. */
  readonly certPem: string
  /** SHA-1 of the leaf in lower-case hex. */
  readonly fingerprint: string
  /** SHA-256 of the leaf's SubjectPublicKeyInfo in base64url; read from the leaf unless given. */
  readonly publicKeyDigest?: string
  /** The third-party CA that issued it. */
  readonly caFingerprint?: string
  /** When the token was used that enrolled it. */
  readonly tokenSeenAt?: number
  /** Whether the signer of that token was not trusted. */
  readonly isFromUntrusted?: boolean
}

/** Records a certificate that our CA or a third-party CA has issued. Fails with CERT_IN_USE when any authenticator has it, or its key. */
export async function insertCertificateAuthenticator(
  tx: Transaction,
  {
    certPem,
    fingerprint,
    publicKeyDigest,
    caFingerprint,
    tokenSeenAt,
    isFromUntrusted = false,
    ...authenticator
  }: NewCertificateAuthenticator,
): Promise<void> {
  const digest = publicKeyDigest ?? readLeafDigests(certPem).publicKeyDigest
  await rejectDuplicates({}, () =>
    insertRow(tx.db, 'authenticators', {
      ...sharedColumns(tx, authenticator),
      method: 'cert',
      username: null,
      password_digest: null,
      cert_pem: certPem,
      fingerprint,
      public_key_digest: digest,
      not_after: expiryOf(certPem),
      ...(caFingerprint !== undefined && { ca_fingerprint: caFingerprint }),
      ...(tokenSeenAt !== undefined && { token_seen_at: tokenSeenAt }),
      is_from_untrusted: isFromUntrusted,
    }),
  )
  if (caFingerprint === undefined) {
    const { id: authenticatorId, identityId } = authenticator
    await recordIssuedCertificate(tx, { certPem, fingerprint, identityId, authenticatorId, isOfSession: false })
  }
  tx.changed({ entity: ENTITY, id: authenticator.id, action: 'created' })
}

function sharedColumns({ now }: Transaction, { id, identityId, tags = {} }: NewAuthenticator) {
  return { id, identity_id: identityId, tags: JSON.stringify(tags), created_at: now, updated_at: now }
}

/** Undefined members stay unchanged. */
export interface AuthenticatorChange {
  readonly username?: string | undefined
  readonly passwordDigest?: string | undefined
  readonly tags?: Tags | undefined
}

/** Fails with COULD_NOT_VALIDATE when the user name is taken. */
export async function updateAuthenticator(
  tx: Transaction,
  id: string,
  { username, passwordDigest, tags }: AuthenticatorChange,
): Promise<void> {
  await rejectDuplicates({ updbUsername: username }, () =>
    tx.db
      .updateTable('authenticators')
      .set({
        ...(username !== undefined && { username }),
        ...(passwordDigest !== undefined && { password_digest: passwordDigest }),
        ...(tags !== undefined && { tags: JSON.stringify(tags) }),
        updated_at: tx.now,
      })
      .where('id', '=', id)
      .execute(),
  )
  tx.changed({ entity: ENTITY, id, action: 'updated' })
}

/** Call `endSessions` for the sessions that rest on it. */
export async function deleteAuthenticator(tx: Transaction, id: string): Promise<void> {
  await tx.db.deleteFrom('authenticators').where('id', '=', id).execute()
  tx.changed({ entity: ENTITY, id, action: 'deleted' })
}

/** Whether the latest login sent the whole chain. Not reported as a change: no cache holds it. */
export async function setResolvedToRoot({ db }: Transaction, id: string, isResolved: boolean): Promise<void> {
  await db.updateTable('authenticators').set({ last_auth_resolved_to_root: isResolved }).where('id', '=', id).execute()
}

/** Requests the renewal of an identity's certificates of our CA, or of one of them. Returns how many it marked. */
export async function setRenewalRequested(
  tx: Transaction,
  { identityId, id, rollKeys }: { readonly identityId: string; readonly id?: string; readonly rollKeys: boolean },
): Promise<number> {
  const { db, now } = tx
  const requested = await db
    .updateTable('authenticators')
    .set({ extend_requested_at: now, key_roll_requested: rollKeys, updated_at: now })
    .where('identity_id', '=', identityId)
    .where('method', '=', 'cert')
    .where('ca_fingerprint', 'is', null)
    .$if(id !== undefined, (query) => query.where('id', '=', id ?? ''))
    .returning('id')
    .execute()
  for (const row of requested) tx.changed({ entity: ENTITY, id: row.id, action: 'updated' })
  return requested.length
}

export interface RenewedCertificate {
  readonly certPem: string
  readonly fingerprint: string
  readonly publicKeyDigest: string
  /** Whether a token of the signer came with the request. */
  readonly isWithToken: boolean
}

/** Stores a renewed certificate beside the current one. */
export async function setPendingCertificate(
  tx: Transaction,
  id: string,
  { certPem, fingerprint, publicKeyDigest, isWithToken }: RenewedCertificate,
): Promise<void> {
  const { identity_id: identityId } = await tx.db
    .updateTable('authenticators')
    .set({
      pending_cert_pem: certPem,
      pending_fingerprint: fingerprint,
      pending_public_key_digest: publicKeyDigest,
      pending_not_after: expiryOf(certPem),
      ...(isWithToken && { token_seen_at: tx.now }),
      updated_at: tx.now,
    })
    .where('id', '=', id)
    .returning('identity_id')
    .executeTakeFirstOrThrow()
  await recordIssuedCertificate(tx, { certPem, fingerprint, identityId, authenticatorId: id, isOfSession: false })
  tx.changed({ entity: ENTITY, id, action: 'updated' })
}

/** Replaces the current certificate by the pending one. Fails with CERT_IN_USE when another authenticator has it, or its key. */
export async function adoptPendingCertificate(
  tx: Transaction,
  id: string,
  { keyRollRequested }: { readonly keyRollRequested: boolean },
): Promise<void> {
  await rejectDuplicates({}, () =>
    tx.db
      .updateTable('authenticators')
      .set((eb) => ({
        cert_pem: eb.ref('pending_cert_pem'),
        fingerprint: eb.ref('pending_fingerprint'),
        public_key_digest: eb.ref('pending_public_key_digest'),
        not_after: eb.ref('pending_not_after'),
        pending_cert_pem: null,
        pending_fingerprint: null,
        pending_public_key_digest: null,
        pending_not_after: null,
        extend_requested_at: null,
        key_roll_requested: keyRollRequested,
        last_auth_resolved_to_root: null,
        updated_at: tx.now,
      }))
      .where('id', '=', id)
      .execute(),
  )
  tx.changed({ entity: ENTITY, id, action: 'updated' })
}

/** Notes when up to `limit` certificates of earlier releases expire. Returns how many there were. Not reported as a change: no cache holds it. */
export async function setUnreadExpiries({ db, dialect }: Transaction, limit: number): Promise<number> {
  const unread = db
    .selectFrom('authenticators')
    .select(['id', 'cert_pem'])
    .where('method', '=', 'cert')
    .where('not_after', 'is', null)
    .limit(limit)
  const rows = await skipLocked(dialect, unread).execute()
  for (const { id, cert_pem } of rows) {
    await db
      .updateTable('authenticators')
      .set({ not_after: expiryOf(cert_pem ?? '') })
      .where('id', '=', id)
      .execute()
  }
  return rows.length
}

/** A certificate that is not readable counts as expired: no login with it succeeds. */
function expiryOf(chainPem: string): number {
  try {
    return readLeafExpiry(chainPem)
  } catch (error) {
    if (error instanceof DerError) return 0
    throw error
  }
}
