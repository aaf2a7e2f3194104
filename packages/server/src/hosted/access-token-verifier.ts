import {
  readJws,
  refuseWithoutSigner,
  type Selector,
  selectClaim,
  type UntrustedJws,
  untrustedIssuerAndAudience,
  type Verdict,
  type VerifiedTokenCache,
  type VerifySigner,
} from '@countersign/core'
import type { KnownAccount } from '../store/reads/account-client-reads.ts'
import type { AccessRefusal } from '../token/decision-reason.ts'
import type { TokenVerifier } from '../token/token-verifier.ts'
import type { KnownAccounts } from './known-accounts.ts'
import type { DirectoryProvider, ProviderDirectory, TrustedIssuer } from './provider-directory.ts'

export type AccessVerdict =
  | { readonly ok: true; readonly account: KnownAccount }
  | {
      readonly ok: false
      readonly reason: AccessRefusal
      readonly verdict?: Verdict
      /** The provider record that the token was verified by. */
      readonly providerId?: string
      /** The account that the token names. */
      readonly account?: KnownAccount
    }

/** The account that a token names in the claim in which the account's own provider record expects the client id. Not verified. */
interface ClaimedAccount {
  readonly account: KnownAccount
  readonly provider: DirectoryProvider
  readonly clientId: string | undefined
}

interface AccessTokenVerifierParts {
  readonly providers: ProviderDirectory
  readonly accounts: KnownAccounts
  readonly verifier: Pick<TokenVerifier, 'verifyWith'>
  readonly cache: VerifiedTokenCache
}

/**
 * Verifies access tokens of the organizations' identity providers. The token's own claims only choose the provider record; the one verify
 * function decides by that record, and the client id that counts is the verified one.
 */
export class AccessTokenVerifier {
  readonly #parts: AccessTokenVerifierParts

  constructor(parts: AccessTokenVerifierParts) {
    this.#parts = parts
  }

  /** The API account of a token, or why it is refused. Throws `TooManyRequests` when too many in the provider's name were wrong. */
  async verify(token: string, address: string): Promise<AccessVerdict> {
    const { providers, verifier, cache } = this.#parts
    const reading = readJws(token, cache)
    if (!reading.ok) return { ok: false, reason: reading.reason }
    const { jws } = reading
    const { untrustedIssuer } = untrustedIssuerAndAudience(jws)
    const issuer = typeof untrustedIssuer === 'string' ? await providers.findIssuer(untrustedIssuer) : undefined
    const claimed = issuer && (await this.#findClaimedAccount(jws, issuer))
    // A token of an unknown account is verified all the same: the time must not show which accounts exist.
    const provider = claimed?.provider ?? issuer?.forStrangers
    const signer = provider?.stored.enabled && signerFor(provider, jws)
    if (!signer) return refused(refuseWithoutSigner(jws, issuer?.forStrangers !== undefined))
    const verifying = { stored: provider.keySigner, verify: signer }
    const verdict = await verifier.verifyWith(verifying, jws, true, address)
    const { id: providerId, requiredScope } = provider.stored
    if (!verdict.accepted) return refused(verdict, providerId)
    const refuse = (reason: AccessRefusal): AccessVerdict => {
      return { ok: false, reason, verdict, providerId, ...(claimed && { account: claimed.account }) }
    }
    if (!claimed || claimed.clientId !== verdict.token.identityClaim) return refuse('account-unknown')
    if (!claimed.account.isActive) return refuse('account-disabled')
    if (requiredScope !== null && !hasScope(verdict.token.claims, requiredScope)) return refuse('scope-missing')
    return { ok: true, account: claimed.account }
  }

  /**
   * Organizations may read the client id of one issuer's tokens from different claims, so that a token can name several accounts. The one that
   * was registered first counts: a later registration never takes over the tokens of an existing account.
   */
  async #findClaimedAccount(
    jws: UntrustedJws,
    { issuer, clientIds }: TrustedIssuer,
  ): Promise<ClaimedAccount | undefined> {
    const { accounts, providers } = this.#parts
    const possible: ClaimedAccount[] = []
    for (const clientId of new Set(clientIds.map((selector) => textAt(selector, jws)))) {
      const account = clientId === undefined ? undefined : await accounts.find(issuer, clientId)
      const provider = account && (await providers.find(account.identityProviderId))
      const own = provider && signerFor(provider, jws)
      // The account's own record may read another claim than the one that this client id was found in.
      if (own && textAt(own.claimsProperty, jws) === clientId) possible.push({ account, provider, clientId })
    }
    return possible.toSorted(byRegistration)[0]
  }
}

function refused(verdict: Verdict, providerId?: string): AccessVerdict {
  if (verdict.accepted) throw new TypeError('the token was accepted')
  return { ok: false, reason: verdict.reason, verdict, ...(providerId !== undefined && { providerId }) }
}

function byRegistration({ account: a }: ClaimedAccount, { account: b }: ClaimedAccount): number {
  return a.registeredAt - b.registeredAt || (a.id < b.id ? -1 : 1)
}

/** The signer for the first claim of the record's provider kind that the token has a client id in. */
function signerFor({ byClientIdClaim }: DirectoryProvider, jws: UntrustedJws): VerifySigner | undefined {
  const signers = [...byClientIdClaim.values()]
  return signers.find(({ claimsProperty }) => textAt(claimsProperty, jws) !== undefined) ?? signers[0]
}

function textAt(selector: Selector, { untrustedClaims }: UntrustedJws): string | undefined {
  const value = selectClaim(selector, untrustedClaims)
  return typeof value === 'string' ? value : undefined
}

/** Providers write scopes as one text (`scope`) or as a list (`scp`, and some `scope`). */
function hasScope(claims: Readonly<Record<string, unknown>>, wanted: string): boolean {
  return [claims.scope, claims.scp].some((scopes) =>
    Array.isArray(scopes) ? scopes.includes(wanted) : typeof scopes === 'string' && scopes.split(' ').includes(wanted),
  )
}
