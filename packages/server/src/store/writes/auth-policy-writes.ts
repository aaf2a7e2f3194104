import type { AuthPolicySettings } from '@countersign/core'
import { authPolicyColumns } from '../auth-policy-row.ts'
import type { Transaction } from '../transaction.ts'
import { rejectDuplicates } from '../unique-violation.ts'

const ENTITY = 'authPolicies'

export async function insertAuthPolicy(tx: Transaction, id: string, policy: AuthPolicySettings): Promise<void> {
  const { db, now } = tx
  await rejectDuplicates({ name: policy.name }, () =>
    db
      .insertInto('auth_policies')
      .values({ id, ...authPolicyColumns(policy), created_at: now, updated_at: now })
      .execute(),
  )
  await insertAllowedSigners(tx, id, policy)
  tx.changed({ entity: ENTITY, id, action: 'created' })
}

/** `action` is `relabelled` when only `name` and `tags` differ: sessions go on with what they know of the policy. */
export async function updateAuthPolicy(
  tx: Transaction,
  id: string,
  policy: AuthPolicySettings,
  action: 'updated' | 'relabelled',
): Promise<void> {
  const { db, now } = tx
  await rejectDuplicates({ name: policy.name }, () =>
    db
      .updateTable('auth_policies')
      .set({ ...authPolicyColumns(policy), updated_at: now })
      .where('id', '=', id)
      .execute(),
  )
  await db.deleteFrom('auth_policy_signers').where('auth_policy_id', '=', id).execute()
  await insertAllowedSigners(tx, id, policy)
  tx.changed({ entity: ENTITY, id, action })
}

export async function deleteAuthPolicy(tx: Transaction, id: string): Promise<void> {
  await tx.db.deleteFrom('auth_policies').where('id', '=', id).execute()
  tx.changed({ entity: ENTITY, id, action: 'deleted' })
}

async function insertAllowedSigners({ db }: Transaction, id: string, { primary }: AuthPolicySettings): Promise<void> {
  const rows = primary.extJwt.allowedSigners.map((signerId) => ({ auth_policy_id: id, signer_id: signerId }))
  if (rows.length > 0) await db.insertInto('auth_policy_signers').values(rows).execute()
}
