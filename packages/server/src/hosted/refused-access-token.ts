import { accountIdentityId } from '@countersign/core'
import type { AccessTokenRefusal } from '../token/decision-reason.ts'
import type { RefusedLogin } from '../token/decision-recorder.ts'
import type { AccessVerdict } from './access-token-verifier.ts'

type RefusedVerdict = Extract<AccessVerdict, { ok: false }>

/** Hints for refusals that the checks of the token do not explain. */
const HINTS: Readonly<Partial<Record<AccessTokenRefusal, string>>> = {
  'issuer-unknown': "no enabled identity provider record has the token's issuer",
  'audience-mismatch': 'the token has another audience than the provider record: request a token for that audience',
  'account-unknown': 'the token is valid, but its client has no API account: create one with its clientId',
  'account-disabled': 'the API account is disabled: enable it',
  'organization-suspended': 'the operator of this controller has suspended the organization',
  'scope-missing': 'the token lacks the scope that the provider record requires (requiredScope)',
}

/** Builds the record of a refused access token. Administrators find it by the trace id. */
export function refusedAccessToken(
  refusal: RefusedVerdict,
  request: { readonly id: string; readonly address: string },
): RefusedLogin {
  const { reason, verdict, providerId, account, organizationId } = refusal
  const hint = HINTS[reason]
  return {
    id: request.id,
    method: 'api-account',
    reason,
    signerId: providerId,
    identityId: account?.id,
    remoteAddress: request.address,
    organizationId,
    explain: () => ({
      signers:
        verdict && providerId ? [{ signerId: providerId, checks: [...verdict.checks], reason: verdict.reason }] : [],
      identity: account ? { id: account.id, name: accountIdentityId(account.id), disabled: !account.isActive } : null,
      policy: null,
      missing: [reason],
      hints: hint === undefined ? [] : [hint],
    }),
  }
}
