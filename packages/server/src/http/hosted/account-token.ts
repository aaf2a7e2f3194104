import {
  ACCESS_TOKEN_TYPE,
  AccountTokenRequest,
  JWT_TOKEN_TYPE,
  TOKEN_EXCHANGE_GRANT,
  type AccountTokenRequest as TokenRequest,
} from '@countersign/contract'
import { accountIdentityId, OAuthError } from '@countersign/core'
import type { ReportedRequest } from '../../events/reported-request.ts'
import type { AcceptedTokens } from '../../hosted/accepted-tokens.ts'
import type { AccessTokenVerifier } from '../../hosted/access-token-verifier.ts'
import type { VerifiedAccount } from '../../hosted/access-verdict.ts'
import { type AccountTokens, isAccountToken } from '../../hosted/account-tokens.ts'
import type { AccountUses } from '../../hosted/account-uses.ts'
import { publicRefusalText, refusedAccessToken } from '../../hosted/refused-access-token.ts'
import type { AttemptLimits } from '../../limits/attempt-limits.ts'
import type { Clock } from '../../platform/clock.ts'
import type { RefusedLogin } from '../../token/decision-recorder.ts'
import { isPossessionReason } from '../../token/possession-challenge.ts'
import type { Call } from '../pipeline/call.ts'
import { ACCOUNT_TOKEN_PATH } from '../pipeline/hosted-errors.ts'
import type { Route } from '../pipeline/route.ts'

export interface AccountTokenRouteParts {
  readonly clock: Clock
  readonly accessTokens: Pick<AccessTokenVerifier, 'verify'>
  readonly accountTokens: Pick<AccountTokens, 'issue'>
  readonly accountUses: Pick<AccountUses, 'note'>
  readonly acceptedTokens: Pick<AcceptedTokens, 'note'>
  readonly limits: Pick<AttemptLimits, 'accountToken'>
  readonly logins: { refused(refused: RefusedLogin, request: ReportedRequest): void }
}

/** RFC 6749 section 5.1. */
const NOT_CACHED = { 'cache-control': 'no-store', pragma: 'no-cache' }

/** Trades a token of the organization's provider for an access token of this controller (RFC 8693), for jobs that outlive their own. */
export function accountTokenRoutes(parts: AccountTokenRouteParts): Route[] {
  const { clock, accountTokens, accountUses, acceptedTokens, limits } = parts

  return [
    {
      method: 'POST',
      paths: [ACCOUNT_TOKEN_PATH],
      access: 'anonymous',
      rate: 'attempt',
      bodyCap: 'anonymous',
      body: { schema: AccountTokenRequest, optional: false, form: true },
      note: null,
      handle: async (call) => {
        const request = call.body as TokenRequest
        checkTypes(request)
        const account = await verifySubject(parts, request.subject_token, call)
        const { id, organizationId, credential } = account
        limits.accountToken.begin(id)
        const actorId = accountIdentityId(id)
        const source = { authorName: actorId, ...call.source }
        const meta = { actorId, credential, organizationId, now: clock.now(), source }
        const { token, expiresInSeconds } = await accountTokens.issue(meta)
        accountUses.note(id, call.clientAddress)
        acceptedTokens.note(account, { id: call.requestId, address: call.clientAddress })
        const json = {
          access_token: token,
          issued_token_type: ACCESS_TOKEN_TYPE,
          token_type: 'Bearer',
          expires_in: expiresInSeconds,
        }
        return { status: 200, headers: NOT_CACHED, json }
      },
    },
  ]
}

function checkTypes({ grant_type, subject_token_type, requested_token_type }: TokenRequest): void {
  if (grant_type !== TOKEN_EXCHANGE_GRANT) {
    throw new OAuthError('unsupported_grant_type', `grant_type must be ${TOKEN_EXCHANGE_GRANT}`)
  }
  if (subject_token_type !== JWT_TOKEN_TYPE) throw refusedRequest(`subject_token_type must be ${JWT_TOKEN_TYPE}`)
  if (requested_token_type && requested_token_type !== ACCESS_TOKEN_TYPE) {
    throw refusedRequest(`requested_token_type must be ${ACCESS_TOKEN_TYPE}`)
  }
}

/** The federated account that a token acts as. Throws the error of RFC 8693 section 2.2.2. */
async function verifySubject(
  { accessTokens, logins }: AccountTokenRouteParts,
  subjectToken: string,
  call: Call,
): Promise<VerifiedAccount> {
  if (isAccountToken(subjectToken)) {
    throw refusedRequest('an access token of this controller cannot be exchanged: use a token of the provider')
  }
  const { requestId: id, clientAddress: address } = call
  const verdict = await accessTokens.verify(subjectToken, { address })
  if (!verdict.ok) {
    logins.refused(refusedAccessToken(verdict, { id, address }), { id, remoteAddr: call.source.remoteAddr })
    throw refusedRequest(
      isPossessionReason(verdict.reason)
        ? 'a token that is bound to a key cannot be exchanged: use it as it is'
        : (publicRefusalText(verdict) ?? 'the subject_token is refused'),
    )
  }
  if ('clientId' in verdict.account.credential) {
    throw refusedRequest('only tokens of federated accounts are exchanged: use the token as it is')
  }
  return verdict.account
}

function refusedRequest(description: string): OAuthError {
  return new OAuthError('invalid_request', description)
}
