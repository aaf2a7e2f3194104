import { notFound } from '../../store/not-found.ts'
import { hasAccounts } from '../../store/reads/account-reads.ts'
import { findLocalOrganization, findOrganization } from '../../store/reads/organization-reads.ts'
import type { Transaction } from '../../store/transaction.ts'

/**
 * Throws NOT_FOUND unless an administrator of the actor's organization may act on `wanted`: it is the same, or the actor's owns this controller and
 * `wanted` has no API account yet. Called before a provider is asked for something, and again in the transaction. The controller itself has no
 * organization, and may act on all.
 */
export async function checkTargetOrganization(
  { db, organizationId: own }: Pick<Transaction, 'db' | 'organizationId'>,
  wanted: string,
): Promise<void> {
  if (own === undefined || own === wanted) return
  const isOperator = own === (await findLocalOrganization(db))
  const isOpen = isOperator && (await findOrganization(db, wanted)) && !(await hasAccounts(db, wanted))
  if (!isOpen) throw notFound('organization', wanted)
}
