import { AppError, readsSignerName } from '@countersign/core'
import type { AuthorizedTransaction } from '../../store/operation.ts'
import { listRulesAboutSigners } from '../../store/reads/auth-policy-reads.ts'
import type { StoredSigner } from '../../store/signer-row.ts'

/** Checking a rule takes a millisecond, and holders of a permission may have added a thousand. More count as rules that read names. */
const MAX_CHECKED = 20

/**
 * Checks a new name of a trusted signer. While the rule of a policy reads the names of signers, they decide which signers log in administrators, and
 * only administrators change them. Fails with UNAUTHORIZED.
 */
export async function authorizeSignerName(
  { db, actor }: AuthorizedTransaction,
  { name, trust }: Pick<StoredSigner, 'name' | 'trust'>,
  next: { readonly name: string },
): Promise<void> {
  if (actor.isAdmin || name === next.name || !trust.isTrusted) return
  const rules = await listRulesAboutSigners(db, MAX_CHECKED + 1)
  if (rules.length <= MAX_CHECKED && !rules.some((acceptRule) => readsSignerName({ acceptRule }))) return
  throw new AppError('UNAUTHORIZED', {
    message: 'the rule of an authentication policy reads the names of signers: only an administrator may rename one',
  })
}
