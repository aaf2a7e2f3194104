import type { AuthPolicyWrite } from '@countersign/contract'
import { AppError, type AuthPolicySettings, authPolicyFromBody, validateAuthPolicy } from '@countersign/core'
import { type AuthorizedTransaction, operation } from '../../store/operation.ts'
import { countAuthPolicies, sumPolicyRules } from '../../store/reads/auth-policy-reads.ts'
import type { Transaction } from '../../store/transaction.ts'
import { insertAuthPolicy } from '../../store/writes/auth-policy-writes.ts'
import { checkSigners, signerFieldNotFound } from './check-signers.ts'

export const createAuthPolicy = operation({
  name: 'authPolicy.create',
  access: { entity: 'auth-policy', action: 'create' },
  async run(tx, { id, body }: { readonly id: string; readonly body: AuthPolicyWrite }): Promise<void> {
    await checkQuota(tx)
    await checkSigners(tx, body, signerFieldNotFound)
    const policy = authPolicyFromBody(body)
    await checkRuleLength(tx, id, null, policy)
    await addAuthPolicy(tx, id, policy)
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

/** Each process keeps as many characters of rules compiled, which takes a hundred times their memory. */
const MAX_RULE_LENGTH = 262_144

/** Fails with COULD_NOT_VALIDATE when an actor that is no administrator writes a longer rule, and the rules of all policies have too much together. */
export async function checkRuleLength(
  { db, actor }: AuthorizedTransaction,
  id: string,
  current: AuthPolicySettings['acceptRule'],
  { acceptRule: next }: Pick<AuthPolicySettings, 'acceptRule'>,
): Promise<void> {
  if (actor.isAdmin || next === null || next.length <= (current?.length ?? 0)) return
  if ((await sumPolicyRules(db, id)) + next.length <= MAX_RULE_LENGTH) return
  const message = `the rules of all authentication policies have ${MAX_RULE_LENGTH} characters together: only an administrator makes one longer`
  throw new AppError('COULD_NOT_VALIDATE', { message })
}

/** Validates and inserts a policy; for any operation that creates one. */
export async function addAuthPolicy(tx: Transaction, id: string, policy: AuthPolicySettings): Promise<void> {
  validateAuthPolicy(policy)
  await insertAuthPolicy(tx, id, policy)
}
