import { accountIdentityId } from '@countersign/core'
import type { AccessRefusal } from '../token/decision-reason.ts'
import type { RefusedSignIn } from '../token/decision-recorder.ts'
import type { AccessVerdict } from './access-token-verifier.ts'

type Refusal = Extract<AccessVerdict, { ok: false }>

/** Hints for the refusals that the checks of the token itself do not explain. */
const HINTS: Readonly<Partial<Record<AccessRefusal, string>>> = {
  'issuer-unknown': 'no enabled identity provider of any organization has the issuer of the token',
  'audience-mismatch': 'the token was asked for another audience than the one in the record of its provider',
  'account-unknown': 'the token is good, but its client is no API account: add it, or name it in clientId',
  'account-disabled': 'the API account or its organization is disabled: enable it',
  'scope-missing': 'the record of the provider asks for a scope that the token does not have',
}

/** A refused call of the hosted API, for administrators to look up by its trace id. */
export function refusedAccess(
  refusal: Refusal,
  request: { readonly id: string; readonly address: string },
): RefusedSignIn {
  const { reason, verdict, providerId, account } = refusal
  const hint = HINTS[reason]
  return {
    id: request.id,
    method: 'api-account',
    reason,
    signerId: providerId,
    identityId: account?.id,
    remoteAddress: request.address,
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
