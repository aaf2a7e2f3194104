import { accountIdentityId, type Check, requirementText } from '@countersign/core'
import type { AccessTokenRefusal } from '../token/decision-reason.ts'
import type { RefusedLogin } from '../token/decision-recorder.ts'
import { quoted } from '../token/quoted.ts'
import type { RefusedAccess, UnmetCondition } from './access-verdict.ts'

/** Hints for refusals that the checks of the token do not explain. */
const HINTS: Readonly<Partial<Record<AccessTokenRefusal, string>>> = {
  'issuer-unknown': "no enabled identity provider record has the token's issuer",
  'audience-mismatch': 'the token has another audience than the provider record: request a token for that audience',
  'account-unknown': 'the token is valid, but its client has no API account: create one with its clientId',
  'account-disabled': 'the API account is disabled: enable it',
  'account-expired': 'the access of the API account has ended: change its expiresAt',
  'organization-suspended': 'the operator of this controller has suspended the organization',
  'scope-missing': 'the token lacks the scope that the provider record requires (requiredScope)',
  'token-revoked':
    'the conditions of the API account or its provider record have changed since this access token was issued: exchange a token of the provider again',
  'token-unknown': 'the access token was not issued by this controller, or expired long ago',
}

/** Builds the record of a refused access token. Administrators find it by the trace id. */
export function refusedAccessToken(
  refusal: RefusedAccess,
  request: { readonly id: string; readonly address: string },
): RefusedLogin {
  const { reason, verdict, providerId, account, organizationId, unmet = [] } = refusal
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
        verdict && providerId
          ? [
              {
                signerId: providerId,
                checks: [...verdict.checks, ...unmet.map(unmetCheck)],
                reason: unmet.length > 0 ? 'required-claim-unmet' : verdict.reason,
              },
            ]
          : [],
      identity: account ? { id: account.id, name: accountIdentityId(account.id), disabled: !account.isActive } : null,
      policy: null,
      missing: [reason],
      hints: hintsFor(refusal),
    }),
  }
}

function unmetCheck({ condition, received }: UnmetCondition): Check {
  return { check: 'requiredClaims', expected: requirementText(condition), received, pass: false }
}

function hintsFor({ reason, account, unmet, matching }: RefusedAccess): string[] {
  if (unmet) {
    const name = quoted(account?.name ?? '')
    return unmet.map(
      (condition) =>
        `the API account ${name} requires that ${requirementText(condition.condition)}, and in the token ${receivedText(condition)}`,
    )
  }
  if (matching) {
    const text = `the token meets the conditions of the API accounts ${matching.map(quoted).join(', ')}: give one of them all conditions of the others and more, or make them exclude each other`
    return [text]
  }
  const hint = HINTS[reason]
  return hint === undefined ? [] : [hint]
}

/** The claim of the token, which its bearer knows. */
function receivedText({ condition: { selector }, received }: UnmetCondition): string {
  return received === null ? `${selector.text} is missing` : `${selector.text} is ${quoted(received)}`
}

/**
 * What the response tells the caller about a refusal; undefined for no more than that there is one. It names claims of the verified token, and not the values
 * that the account requires: anyone can have a token of a public issuer. Accounts are named to a caller that meets their conditions.
 */
export function publicRefusalText({ unmet, matching }: RefusedAccess): string | undefined {
  if (unmet) return `the token meets the conditions of no API account: ${unmet.map(receivedText).join(', ')}`
  if (matching) return `the token meets the conditions of several API accounts: ${matching.map(quoted).join(', ')}`
  return undefined
}
