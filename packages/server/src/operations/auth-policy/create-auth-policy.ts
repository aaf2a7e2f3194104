import type { AuthPolicyWrite } from '@countersign/contract'
import { AppError, type AuthPolicySettings, authPolicyFromBody, validateAuthPolicy } from '@countersign/core'
import { type AuthorizedTransaction, operation } from '../../store/operation.ts'
import { countAuthPolicies } from '../../store/reads/auth-policy-reads.ts'
import type { Transaction } from '../../store/transaction.ts'
import { insertAuthPolicy } from '../../store/writes/auth-policy-writes.ts'
import { checkSigners, signerFieldNotFound } from './check-signers.ts'

export const createAuthPolicy = operation({
  name: 'authPolicy.create',
  access: { entity: 'auth-policy', action: 'create' },
  async run(tx, { id, body }: { readonly id: string; readonly body: AuthPolicyWrite }): Promise<void> {
    await checkQuota(tx)
    await checkSigners(tx, body, signerFieldNotFound)
    await addAuthPolicy(tx, id, authPolicyFromBody(body))
  },
})

/** As many as are cached. Some changes of signers read the rules of all. */
const MAX_POLICIES = 1_000

/** Fails with COULD_NOT_VALIDATE when there are 1,000 policies, unless an administrator adds one. */
async function checkQuota({ db, actor }: AuthorizedTransaction): Promise<void> {
  if (actor.isAdmin || (await countAuthPolicies(db, MAX_POLICIES)) < MAX_POLICIES) return
  const message = `there are ${MAX_POLICIES} authentication policies: only an administrator adds more`
  throw new AppError('COULD_NOT_VALIDATE', { message })
}

/** Validates and inserts a policy; for any operation that creates one. */
export async function addAuthPolicy(tx: Transaction, id: string, policy: AuthPolicySettings): Promise<void> {
  validateAuthPolicy(policy)
  await insertAuthPolicy(tx, id, policy)
}
