import type { AuthPolicyWrite } from '@countersign/contract'
import { type AuthPolicySettings, authPolicyFromBody, validateAuthPolicy } from '@countersign/core'
import { operation } from '../../store/operation.ts'
import type { Transaction } from '../../store/transaction.ts'
import { insertAuthPolicy } from '../../store/writes/auth-policy-writes.ts'
import { checkSigners, signerFieldNotFound } from './check-signers.ts'

export const createAuthPolicy = operation({
  name: 'authPolicy.create',
  access: { entity: 'auth-policy', action: 'create' },
  async run(tx, { id, body }: { readonly id: string; readonly body: AuthPolicyWrite }): Promise<void> {
    await checkSigners(tx, body, signerFieldNotFound)
    await addAuthPolicy(tx, id, authPolicyFromBody(body))
  },
})

/** Validates and inserts a policy; for any operation that creates one. */
export async function addAuthPolicy(tx: Transaction, id: string, policy: AuthPolicySettings): Promise<void> {
  validateAuthPolicy(policy)
  await insertAuthPolicy(tx, id, policy)
}
