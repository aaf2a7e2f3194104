import { isDeepStrictEqual } from 'node:util'
import type { AuthPolicyPatch, AuthPolicyWrite } from '@countersign/contract'
import {
  ACCOUNT_AUTH_POLICY_ID,
  AppError,
  type AuthPolicySettings,
  patchedAuthPolicy,
  replacedAuthPolicy,
  validateAuthPolicy,
} from '@countersign/core'
import type { StoredAuthPolicy } from '../../store/auth-policy-row.ts'
import { notFound } from '../../store/not-found.ts'
import { type AuthorizedTransaction, operation } from '../../store/operation.ts'
import { findAuthPolicy } from '../../store/reads/auth-policy-reads.ts'
import type { Transaction } from '../../store/transaction.ts'
import { updateAuthPolicy } from '../../store/writes/auth-policy-writes.ts'
import { ensureAdministratorRemains } from '../identity/ensure-administrator-remains.ts'
import { authorizeLoginRulesChange } from './authorize-login-rules-change.ts'
import { checkSigners, signerNotFound } from './check-signers.ts'
import { checkRuleLength } from './create-auth-policy.ts'

const ACCESS = { entity: 'auth-policy', action: 'update' } as const

export const replaceAuthPolicy = operation({
  name: 'authPolicy.replace',
  access: ACCESS,
  target: 'authPolicies',
  async run(tx, { id, body }: { readonly id: string; readonly body: AuthPolicyWrite }): Promise<void> {
    const current = await getAuthPolicy(tx, id)
    await checkSigners(tx, body, signerNotFound)
    await changeAuthPolicy(tx, current, replacedAuthPolicy(current, body))
  },
})

export const patchAuthPolicy = operation({
  name: 'authPolicy.patch',
  access: ACCESS,
  target: 'authPolicies',
  async run(tx, { id, body }: { readonly id: string; readonly body: AuthPolicyPatch }): Promise<void> {
    const current = await getAuthPolicy(tx, id)
    if (Object.keys(body).length === 0) return
    await checkSigners(tx, body, signerNotFound)
    await changeAuthPolicy(tx, current, patchedAuthPolicy(current, body))
  },
})

export async function getAuthPolicy({ db }: Transaction, id: string): Promise<StoredAuthPolicy> {
  const policy = await findAuthPolicy(db, id)
  if (!policy) throw notFound('authPolicy', id)
  return policy
}

async function changeAuthPolicy(
  tx: AuthorizedTransaction,
  current: StoredAuthPolicy,
  next: AuthPolicySettings,
): Promise<void> {
  const { id } = current
  if (id === ACCOUNT_AUTH_POLICY_ID) {
    throw new AppError('ENTITY_CAN_NOT_BE_UPDATED', {
      message: 'the policy of API accounts allows no login and cannot be changed',
    })
  }
  validateAuthPolicy(next)
  if (hasSameLoginRules(current, next)) return updateAuthPolicy(tx, id, next, 'relabelled')
  await authorizeLoginRulesChange(tx, id)
  await checkRuleLength(tx, id, current.acceptRule, next)
  const update = () => updateAuthPolicy(tx, id, next, 'updated')
  // Others change no policy of administrators.
  await (tx.actor.isAdmin ? ensureAdministratorRemains(tx, update) : update())
}

const LOGIN_RULES = [
  'primary',
  'secondary',
  'session',
  'certificate',
  'acceptRule',
] as const satisfies readonly (keyof AuthPolicySettings)[]

function hasSameLoginRules(current: AuthPolicySettings, next: AuthPolicySettings): boolean {
  return LOGIN_RULES.every((group) => isDeepStrictEqual(current[group], next[group]))
}
