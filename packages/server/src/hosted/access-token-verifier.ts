import {
  audiencesOf,
  findNamedOrganization,
  readJws,
  refuseWithoutSigner,
  secretDigest,
  type UntrustedJws,
  untrustedIssuerAndAudience,
  type VerifiedTokenCache,
  type VerifySigner,
} from '@countersign/core'
import type { Clock } from '../platform/clock.ts'
import type { KnownAccount } from '../store/reads/account-client-reads.ts'
import type { AccessTokenRefusal } from '../token/decision-reason.ts'
import type { TokenSource, TokenVerifier } from '../token/token-verifier.ts'
import { type AccessVerdict, findAccessRefusal, possessionOf, refusedBy } from './access-verdict.ts'
import { type AccountTokens, isAccountToken } from './account-tokens.ts'
import { FederatedTokens } from './federated-tokens.ts'
import { hasScope } from './has-scope.ts'
import type { KnownAccounts } from './known-accounts.ts'
import {
  type DirectoryProvider,
  findRecordSigner,
  type ProviderDirectory,
  type TrustedIssuer,
  untrustedTextAt,
} from './provider-directory.ts'

/** The account named by a token, read from the claim that the account's provider record uses for the client id. Not verified. */
interface ClaimedAccount {
  readonly account: KnownAccount
  readonly provider: DirectoryProvider
  readonly clientId: string | undefined
  /** Whether the token keeps the rules of the account's provider record. */
  readonly keepsRules: boolean
}

interface AccessTokenVerifierParts {
  readonly providers: ProviderDirectory
  readonly accounts: KnownAccounts
  readonly verifier: Pick<TokenVerifier, 'verifyWith' | 'stillAccepts'>
  readonly cache: VerifiedTokenCache
  readonly accountTokens: Pick<AccountTokens, 'verify'>
  readonly clock: Clock
}

/**
 * Verifies access tokens of the organizations' identity providers, and those of this controller. The token's unverified claims only select the
 * provider record. The shared verify function decides by that record, and only verified claims are used.
 */
export class AccessTokenVerifier {
  readonly #parts: AccessTokenVerifierParts
  readonly #federated: FederatedTokens

  constructor(parts: AccessTokenVerifierParts) {
    this.#parts = parts
    this.#federated = new FederatedTokens(parts)
  }

  /** Returns the API account of a token, or why it is refused. Throws `TooManyRequests` after too many invalid tokens for the provider. */
  async verify(token: string, from: TokenSource & { readonly address: string }): Promise<AccessVerdict> {
    const { providers, verifier, cache, accountTokens, clock } = this.#parts
    if (isAccountToken(token)) {
      return from.proofs?.isDpop(secretDigest(token))
        ? { ok: false, reason: 'token-not-bound' }
        : accountTokens.verify(token)
    }
    const reading = readJws(token, cache)
    if (!reading.ok) return { ok: false, reason: reading.reason }
    const { jws } = reading
    const { untrustedIssuer, untrustedAudiences } = untrustedIssuerAndAudience(jws)
    const issuer = typeof untrustedIssuer === 'string' ? await providers.findIssuer(untrustedIssuer) : undefined
    const named = findNamedOrganization(untrustedAudiences)
    const claimed = issuer && (await this.#findClaimedAccount(jws, issuer, named))
    if (issuer && named !== undefined && !claimed) return this.#federated.verify(jws, issuer, named, from)
    // A token of an unknown account is verified too: response times must not reveal which accounts exist.
    const provider = claimed?.provider ?? issuer?.fallback
    const signer = provider?.stored.enabled && findRecordSigner(provider, jws)
    const organizationId = claimed?.account.organizationId ?? issuer?.soleOrganizationId
    const concerned = organizationId === undefined ? {} : { organizationId }
    if (!signer) return { ...refusedBy(refuseWithoutSigner(jws, issuer?.fallback !== undefined)), ...concerned }
    const verifying = { stored: provider.keySigner, verify: signer }
    const verdict = await verifier.verifyWith(verifying, jws, true, from)
    const { id: providerId, requiredScope, revision: providerRevision } = provider.stored
    if (!verdict.accepted) return { ...refusedBy(verdict, providerId), ...concerned }
    const refuse = (reason: AccessTokenRefusal): AccessVerdict => {
      return { ok: false, reason, verdict, providerId, ...concerned, ...(claimed && { account: claimed.account }) }
    }
    if (!claimed || claimed.clientId !== verdict.token.identityClaim) return refuse('account-unknown')
    const reason = findAccessRefusal(claimed.account, clock.now())
    if (reason) return refuse(reason)
    if (requiredScope !== null && !hasScope(verdict.token.claims, requiredScope)) return refuse('scope-missing')
    const { account } = claimed
    const credential = { ...account.client, providerRevision }
    return { ok: true, account: { ...account, credential, ...possessionOf(verdict.token) } }
  }

  /**
   * Organizations may read the client id of one issuer's tokens from different claims, so a token can name several accounts. The account
   * registered first wins: a later registration never takes over the tokens of an existing account. An account whose record refuses the
   * token by its rules wins over no other. A token whose audience names an organization is only for that organization.
   */
  async #findClaimedAccount(
    jws: UntrustedJws,
    { issuer, clientIds }: TrustedIssuer,
    organizationId: string | undefined,
  ): Promise<ClaimedAccount | undefined> {
    const { accounts, providers } = this.#parts
    const candidates: ClaimedAccount[] = []
    for (const clientId of new Set(clientIds.map((selector) => untrustedTextAt(selector, jws)))) {
      const account = clientId === undefined ? undefined : await accounts.find(issuer, clientId)
      if (organizationId !== undefined && account?.organizationId !== organizationId) continue
      const provider = account && (await providers.find(account.identityProviderId))
      const own = provider && findRecordSigner(provider, jws)
      // The account's record may read the client id from another claim than the one it was found in.
      if (!own || untrustedTextAt(own.claimsProperty, jws) !== clientId) continue
      if (organizationId !== undefined && !isForRecord(jws, own)) continue
      const keepsRules = own.claimRules.every((rule) => rule.holds(jws.untrustedClaims))
      candidates.push({ account, provider, clientId, keepsRules })
    }
    return candidates.toSorted(byPrecedence)[0]
  }
}

/** A token for the organization, but not for the audience of the client's record, may be for a federated account. */
function isForRecord({ untrustedClaims }: UntrustedJws, { audience }: VerifySigner): boolean {
  return audience === null || audiencesOf(untrustedClaims).includes(audience)
}

function byPrecedence(a: ClaimedAccount, b: ClaimedAccount): number {
  const byRules = Number(b.keepsRules) - Number(a.keepsRules)
  return byRules || a.account.registeredAt - b.account.registeredAt || (a.account.id < b.account.id ? -1 : 1)
}
