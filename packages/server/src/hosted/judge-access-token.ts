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
import type { SignerVerifier } from '../token/signer-verifier.ts'
import type { KnownAccounts } from './known-accounts.ts'
import type { DirectoryProvider, ProviderDirectory, TrustedIssuer } from './provider-directory.ts'

export type AccessJudgement =
  | { readonly ok: true; readonly account: KnownAccount }
  | {
      readonly ok: false
      readonly reason: AccessRefusal
      readonly verdict?: Verdict
      /** The record that judged it. */
      readonly providerId?: string
      /** The account that it would have been. */
      readonly account?: KnownAccount
    }

export type JudgeAccessToken = (token: string, address: string) => Promise<AccessJudgement>

/** An account that a token names by the claim in which its own provider's record looks for the client id. */
interface Meant {
  readonly account: KnownAccount
  readonly provider: DirectoryProvider
  readonly clientId: string | undefined
}

interface JudgeParts {
  readonly providers: ProviderDirectory
  readonly accounts: KnownAccounts
  readonly signerVerifier: SignerVerifier
  readonly cache: VerifiedTokenCache
}

/**
 * Decides whether an access token of an organization's provider lets an API account in. What the token says about itself only finds the
 * record; the one verify function judges by the record, and the client id that counts is the verified one.
 */
export function createJudgeAccessToken(parts: JudgeParts): JudgeAccessToken {
  const { providers, accounts, signerVerifier, cache } = parts

  /**
   * The account that the token means. Where it could mean several, since organizations read one issuer's tokens by different claims, it is
   * the one that was registered first: what somebody registers later changes nothing for those who are there.
   */
  const findMeant = async (jws: UntrustedJws, { issuer, clientIds }: TrustedIssuer): Promise<Meant | undefined> => {
    const possible: Meant[] = []
    for (const clientId of new Set(clientIds.map((selector) => textAt(selector, jws)))) {
      const account = clientId === undefined ? undefined : await accounts.find(issuer, clientId)
      const provider = account && (await providers.find(account.identityProviderId))
      const own = provider && signerFor(provider, jws)
      // The record of another account may look where its own does not.
      if (own && textAt(own.claimsProperty, jws) === clientId) possible.push({ account, provider, clientId })
    }
    return possible.toSorted(byRegistration)[0]
  }

  return async (token, address) => {
    const reading = readJws(token, cache)
    if (!reading.ok) return { ok: false, reason: reading.reason }
    const { jws } = reading
    const { untrustedIssuer } = untrustedIssuerAndAudience(jws)
    const issuer = typeof untrustedIssuer === 'string' ? await providers.findIssuer(untrustedIssuer) : undefined
    const found = issuer && (await findMeant(jws, issuer))
    // Without an account the token is judged all the same, so that strangers learn nothing from the time it takes.
    const provider = found?.provider ?? issuer?.forStrangers
    const signer = provider?.stored.enabled && signerFor(provider, jws)
    if (!signer) return refused(refuseWithoutSigner(jws, issuer?.forStrangers !== undefined))
    const judging = { stored: provider.keySigner, verify: signer }
    const verdict = await signerVerifier.verifyForStranger(judging, jws, address, true)
    const { id: providerId, requiredScope } = provider.stored
    if (!verdict.accepted) return refused(verdict, providerId)
    const refuse = (reason: AccessRefusal): AccessJudgement => {
      return { ok: false, reason, verdict, providerId, ...(found && { account: found.account }) }
    }
    if (!found || found.clientId !== verdict.token.identityClaim) return refuse('account-unknown')
    if (!found.account.isActive) return refuse('account-disabled')
    if (requiredScope !== null && !hasScope(verdict.token.claims, requiredScope)) return refuse('scope-missing')
    return { ok: true, account: found.account }
  }
}

function refused(verdict: Verdict, providerId?: string): AccessJudgement {
  if (verdict.accepted) throw new TypeError('the token was accepted')
  return { ok: false, reason: verdict.reason, verdict, ...(providerId !== undefined && { providerId }) }
}

function byRegistration({ account: a }: Meant, { account: b }: Meant): number {
  return a.registeredAt - b.registeredAt || (a.id < b.id ? -1 : 1)
}

/** Judged by the claim that the record's kind of provider puts the client id into; the first one that the token has. */
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
