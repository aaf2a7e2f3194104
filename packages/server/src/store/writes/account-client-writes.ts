import type { AdministrationKind } from '@countersign/contract'
import { LONG_AGO } from '../client-retirement.ts'
import { insertRow } from '../prepared.ts'
import type { ClientKey } from '../reads/account-client-reads.ts'
import type { Transaction } from '../transaction.ts'
import { rejectDuplicates } from '../unique-violation.ts'

const ENTITY = 'apiAccounts'

/** A client at the provider. Its secret is never stored. */
export interface AccountClient {
  readonly clientId: string
  /** The kind of administration that created it; null for a client that this controller did not create. */
  readonly administeredBy: AdministrationKind | null
  /** The client's URL by RFC 7592, or its id in the administration API of the provider. */
  readonly handle: string | null
  /** The client's token by RFC 7592. */
  readonly sealedToken: string | null
}

/** Reports no change: the account is created or updated with it. */
export async function insertClient(
  { db, now }: Transaction,
  { accountId, issuer }: { readonly accountId: string; readonly issuer: string },
  { clientId, administeredBy, handle, sealedToken }: AccountClient,
): Promise<void> {
  await rejectDuplicates({ clientId }, () =>
    insertRow(db, 'api_account_clients', {
      issuer,
      client_id: clientId,
      account_id: accountId,
      administered_by: administeredBy,
      handle,
      registration_token: sealedToken,
      retires_at: null,
      created_at: now,
    }),
  )
}

/** Retires the current clients of an account at `retiresAt`, unless they retire earlier. */
export async function retireClients(tx: Transaction, accountId: string, retiresAt: number): Promise<void> {
  const { db, now } = tx
  await db
    .updateTable('api_account_clients')
    .set({ retires_at: retiresAt })
    .where('account_id', '=', accountId)
    .where((is) => is.or([is('retires_at', 'is', null), is('retires_at', '>', retiresAt)]))
    .execute()
  await db.updateTable('api_accounts').set({ updated_at: now }).where('id', '=', accountId).execute()
  tx.changed({ entity: ENTITY, id: accountId, action: 'updated' })
}

/** Records that the sessions of an account's clients that retired at `until` or before have ended. */
export async function finishRetirement(tx: Transaction, accountId: string, until: number): Promise<void> {
  await tx.db
    .updateTable('api_account_clients')
    .set({ retires_at: LONG_AGO })
    .where('account_id', '=', accountId)
    .where('retires_at', '<=', until)
    .execute()
  tx.changed({ entity: ENTITY, id: accountId, action: 'updated' })
}

/** Does nothing when the account has no such client that has retired and whose sessions have ended. */
export async function deleteRetiredClient(
  tx: Transaction,
  accountId: string,
  { issuer, clientId }: ClientKey,
): Promise<void> {
  const deleted = await tx.db
    .deleteFrom('api_account_clients')
    .where('issuer', '=', issuer)
    .where('client_id', '=', clientId)
    .where('account_id', '=', accountId)
    .where('retires_at', '=', LONG_AGO)
    .returning('client_id')
    .executeTakeFirst()
  if (deleted) tx.changed({ entity: ENTITY, id: accountId, action: 'updated' })
}
