import { AppError } from '@countersign/core'
import { notFound } from '../../store/not-found.ts'
import { findAuthenticator } from '../../store/reads/authenticator-reads.ts'
import type { AuthenticatorRow } from '../../store/schema.ts'
import { refusingDuplicates } from '../../store/unique-violation.ts'
import type { WriteContext, WriteOperation } from '../../store/write-operation.ts'
import { type ByWhom, getTouchableIdentity } from '../identity/touchable-identity.ts'

const ENTITY = 'authenticators'

/** Whether the last sign-in brought the whole chain. No change that anybody follows: it is news to administrators alone. */
const noteChain: WriteOperation<{ id: string; resolvedToRoot: boolean }, void> = async (
  { db },
  { id, resolvedToRoot },
) => {
  await db
    .updateTable('authenticators')
    .set({ last_auth_resolved_to_root: resolvedToRoot })
    .where('id', '=', id)
    .execute()
}

/** Of one certificate, or of the certificates of an identity. */
type OfWhich = { readonly id: string } | { readonly identityId: string }

/** Asks the holder to renew, with another key where that is wanted. CAN_NOT_UPDATE_AUTHENTICATOR where there is no certificate. */
const requestExtend: WriteOperation<ByWhom & OfWhich & { rollKeys: boolean }, void> = async (context, args) => {
  const { db, now } = context
  const { rollKeys, byAdmin, byPermissions = [] } = args
  const identityId = 'identityId' in args ? args.identityId : (await getAuthenticator(context, args.id)).identity_id
  await getTouchableIdentity(context, identityId, { byAdmin, byPermissions })
  const changed = await db
    .updateTable('authenticators')
    .set({ extend_requested_at: now, key_roll_requested: rollKeys, updated_at: now })
    .where('identity_id', '=', identityId)
    .where('method', '=', 'cert')
    .$if('id' in args, (query) => query.where('id', '=', 'id' in args ? args.id : ''))
    .returning('id')
    .execute()
  if (changed.length === 0) {
    throw new AppError('CAN_NOT_UPDATE_AUTHENTICATOR', { message: 'there is no certificate that could be renewed' })
  }
  for (const { id } of changed) context.changed({ entity: ENTITY, id, action: 'updated' })
}

export interface Renewal {
  readonly id: string
  readonly byOwner: string
  readonly certPem: string
  readonly fingerprint: string
  readonly publicKeyDigest: string
}

/**
 * Puts a renewed certificate beside the present one, which stays the good one until the holder has shown that he has the new one.
 * Fails with CERT_IN_USE when another authenticator has its key, and with COULD_NOT_PROCESS_CSR when it is the old key although an
 * administrator wants another.
 */
const stageRenewal: WriteOperation<Renewal, void> = async (context, { id, byOwner, ...renewed }) => {
  const { db, now } = context
  const row = await getAuthenticator(context, id, byOwner)
  if (row.key_roll_requested && renewed.publicKeyDigest === row.public_key_digest) {
    const message = 'an administrator asks for a new key: make one, and a request for it'
    throw new AppError('COULD_NOT_PROCESS_CSR', { message })
  }
  const other = await db
    .selectFrom('authenticators')
    .select('id')
    .where('public_key_digest', '=', renewed.publicKeyDigest)
    .where('id', '!=', id)
    .executeTakeFirst()
  if (other) throw new AppError('CERT_IN_USE')
  await db
    .updateTable('authenticators')
    .set({
      pending_cert_pem: renewed.certPem,
      pending_fingerprint: renewed.fingerprint,
      pending_public_key_digest: renewed.publicKeyDigest,
      updated_at: now,
    })
    .where('id', '=', id)
    .execute()
  context.changed({ entity: ENTITY, id, action: 'updated' })
}

/**
 * The renewed certificate takes the place of the old one, which is good for nothing from now on. Telling it twice is fine: the first
 * answer may have been lost. Fails with INVALID_CLIENT_CERT for any other certificate.
 */
const finishRenewal: WriteOperation<{ id: string; byOwner: string; fingerprint: string }, void> = async (
  context,
  { id, byOwner, fingerprint },
) => {
  const { db, now } = context
  const row = await getAuthenticator(context, id, byOwner)
  const { pending_fingerprint: pending, pending_public_key_digest: digest } = row
  if (pending === null && row.fingerprint === fingerprint) return
  if (pending !== fingerprint) throw new AppError('INVALID_CLIENT_CERT')
  await refusingDuplicates({}, () =>
    db
      .updateTable('authenticators')
      .set({
        cert_pem: row.pending_cert_pem,
        fingerprint,
        public_key_digest: digest,
        pending_cert_pem: null,
        pending_fingerprint: null,
        pending_public_key_digest: null,
        extend_requested_at: null,
        // Asked for after the request was made, it is still to be done.
        key_roll_requested: Boolean(row.key_roll_requested) && digest === row.public_key_digest,
        last_auth_resolved_to_root: null,
        updated_at: now,
      })
      .where('id', '=', id)
      .execute(),
  )
  context.changed({ entity: ENTITY, id, action: 'updated' })
}

export const CERTIFICATE_WRITES = {
  'authenticator.noteChain': noteChain,
  'authenticator.requestExtend': requestExtend,
  'authenticator.stageRenewal': stageRenewal,
  'authenticator.finishRenewal': finishRenewal,
}

/** One authenticator; a certificate of the owner's own where he is named. */
async function getAuthenticator({ db }: WriteContext, id: string, byOwner?: string): Promise<AuthenticatorRow> {
  const row = await findAuthenticator(db, id, byOwner)
  if (!row) throw notFound('authenticator', id)
  if (byOwner !== undefined && row.method !== 'cert') throw new AppError('CAN_NOT_UPDATE_AUTHENTICATOR')
  return row
}
