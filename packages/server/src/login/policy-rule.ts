import { clientNetwork, findPolicyRefusal, NO_SIGNER, type RuleRefusal, type RuleRequest } from '@countersign/core'
import type { StoredAuthPolicy } from '../store/auth-policy-row.ts'
import type { StoredIdentity } from '../store/identity-row.ts'
import { ALL_RULES, policyRuleInTurn } from '../token/rule-turns.ts'

/** Why the rule of a policy refuses a login without a token, which has no claims and no signer. Who sends a password can name any identity: it waits with others of its network. */
export function findTokenlessRefusal(
  policy: StoredAuthPolicy,
  identity: StoredIdentity,
  request: RuleRequest,
  nowMs: number,
): Promise<RuleRefusal | undefined> {
  const facts = { claims: {}, signer: NO_SIGNER, identity, request, nowMs }
  return policyRuleInTurn(policy, clientNetwork(request.address), () => findPolicyRefusal(policy, facts, ALL_RULES))
}
