import {
  readJws,
  refuseWithoutSigner,
  selectClaim,
  type UntrustedJws,
  untrustedIssuerAndAudience,
  type Verdict,
  type VerifiedTokenCache,
  type VerifySigner,
} from '@countersign/core'
import type { JudgeBySigner } from '../sign-in/judge-by-signer.ts'
import type { KnownAccount, KnownAccounts } from './known-accounts.ts'
import type { DirectoryProvider, ProviderDirectory } from './provider-directory.ts'

/** Why an access token does not let its bearer in. */
export type AccessRefusal =
  | Extract<Verdict, { accepted: false }>['reason']
  | 'account-unknown'
  | 'account-disabled'
  | 'scope-missing'

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

interface JudgeParts {
  readonly providers: ProviderDirectory
  readonly accounts: KnownAccounts
  readonly judgeBySigner: JudgeBySigner
  readonly cache: VerifiedTokenCache
}

/**
 * Decides whether an access token of an organization's provider lets an API account in. What the token says about itself only finds the
 * record; the one verify function judges by the record, and the client id that counts is the verified one.
 */
export function createJudgeAccessToken(parts: JudgeParts): JudgeAccessToken {
  const { providers, accounts, judgeBySigner, cache } = parts

  return async (token, address) => {
    const reading = readJws(token, cache)
    if (!reading.ok) return { ok: false, reason: reading.reason }
    const { jws } = reading
    const { untrustedIssuer } = untrustedIssuerAndAudience(jws)
    const trusting = typeof untrustedIssuer === 'string' ? await providers.findByIssuer(untrustedIssuer) : []
    const found = await findAccount(jws, trusting, accounts)
    // Without an account the token is judged all the same, so that strangers learn nothing from the time it takes.
    const provider = found ? await providers.find(found.account.identityProviderId) : trusting[0]
    const signer = provider && signerFor(provider, jws)
    if (!provider || !signer) return refused(refuseWithoutSigner(jws, trusting.length > 0))
    const judging = { stored: provider.keySigner, verify: signer }
    const verdict = await judgeBySigner.forStranger(judging, jws, address, true)
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

/** The account that the token names, if any of the records that trust its issuer knows such a client. */
async function findAccount(jws: UntrustedJws, trusting: readonly DirectoryProvider[], accounts: KnownAccounts) {
  const tried = new Set<string>()
  for (const { stored, byClientIdClaim } of trusting) {
    for (const [claim, signer] of byClientIdClaim) {
      if (tried.has(claim)) continue
      tried.add(claim)
      const untrustedClientId = textAt(signer, jws)
      const account =
        untrustedClientId === undefined ? undefined : await accounts.find(stored.issuer, untrustedClientId)
      if (account) return { account, clientId: untrustedClientId }
    }
  }
  return undefined
}

/** Judged by the claim that the record's kind of provider puts the client id into; the first one that the token has. */
function signerFor({ byClientIdClaim }: DirectoryProvider, jws: UntrustedJws): VerifySigner | undefined {
  const signers = [...byClientIdClaim.values()]
  return signers.find((signer) => textAt(signer, jws) !== undefined) ?? signers[0]
}

function textAt({ claimsProperty }: VerifySigner, { untrustedClaims }: UntrustedJws): string | undefined {
  const value = selectClaim(claimsProperty, untrustedClaims)
  return typeof value === 'string' ? value : undefined
}

/** Providers write scopes as one text (`scope`) or as a list (`scp`, and some `scope`). */
function hasScope(claims: Readonly<Record<string, unknown>>, wanted: string): boolean {
  return [claims.scope, claims.scp].some((scopes) =>
    Array.isArray(scopes) ? scopes.includes(wanted) : typeof scopes === 'string' && scopes.split(' ').includes(wanted),
  )
}
