import { refuseWithoutSigner, type UntrustedJws, type Verdict } from '@countersign/core'
import { MAX_TOKEN_SECONDS } from '../operations/api-account/issue-account-token.ts'
import type { Clock } from '../platform/clock.ts'
import type { TokenSource, TokenVerifier } from '../token/token-verifier.ts'
import { type AccessVerdict, findAccessRefusal, possessionOf, refusedBy } from './access-verdict.ts'
import { AccountChoices } from './account-choices.ts'
import { hasScope } from './has-scope.ts'
import type { FederatedAccounts, KnownAccounts } from './known-accounts.ts'
import type { DirectoryProvider, TrustedIssuer } from './provider-directory.ts'

interface FederatedTokensParts {
  readonly accounts: Pick<KnownAccounts, 'federatedOf'>
  readonly verifier: Pick<TokenVerifier, 'verifyWith' | 'stillAccepts'>
  readonly clock: Clock
}

type AcceptedVerdict = Extract<Verdict, { accepted: true }>

/** A token that `record` has verified, with what else decides about it. */
interface Verification {
  readonly jws: UntrustedJws
  readonly from: TokenSource
  readonly record: DirectoryProvider
  /** All of the organization that have the issuer, enabled or not. */
  readonly records: readonly DirectoryProvider[]
  readonly organizationId: string
  readonly accounts: FederatedAccounts
}

/** Each is another key set to verify with. */
const MAX_RECORDS = 4

/** Verifies tokens for the federated accounts of an organization, which their audience has named. */
export class FederatedTokens {
  readonly #parts: FederatedTokensParts
  readonly #choices = new AccountChoices()

  constructor(parts: FederatedTokensParts) {
    this.#parts = parts
  }

  /**
   * Returns the account whose conditions the token meets, or why it is refused. The conditions are read after the token is verified by a record of
   * the organization. Throws `TooManyRequests` after too many invalid tokens for a record, and what `AccountChoices` throws.
   */
  async verify(
    jws: UntrustedJws,
    issuer: TrustedIssuer,
    organizationId: string,
    from: TokenSource,
  ): Promise<AccessVerdict> {
    let refusal = refusedBy(refuseWithoutSigner(jws, true))
    const records = issuer.byOrganization.get(organizationId) ?? []
    const trusting = records.filter(({ stored }) => stored.enabled)
    // Anyone can name an organization, with any text: nothing is read for those that do not trust the issuer, and none of them is concerned.
    if (trusting.length === 0) return refusal
    const accounts = await this.#parts.accounts.federatedOf(organizationId)
    for (const record of recordsFor(trusting, accounts)) {
      const verdict = await this.#verifyBy(record, jws, from)
      if (verdict.accepted) {
        const access = await this.#decide(verdict, { jws, from, record, records, organizationId, accounts })
        return access.ok ? access : { ...access, organizationId }
      }
      refusal = refusedBy(verdict, record.stored.id)
    }
    return { ...refusal, organizationId }
  }

  async #verifyBy(
    { stored, keySigner, federated }: DirectoryProvider,
    jws: UntrustedJws,
    from: TokenSource,
  ): Promise<Verdict> {
    if (!stored.enabled) return refuseWithoutSigner(jws, true)
    return this.#parts.verifier.verifyWith({ stored: keySigner, verify: federated }, jws, true, from)
  }

  /** Chooses among the accounts of all records, and then needs the verdict of the record of the chosen one. */
  async #decide(
    verifiedBy: AcceptedVerdict,
    { jws, from, record, records, organizationId, accounts }: Verification,
  ): Promise<AccessVerdict> {
    const providerIds = new Set(records.map(({ stored }) => stored.id))
    const choice = await this.#choices.choose({ token: verifiedBy.token, organizationId, accounts, providerIds })
    const own = 'reason' in choice ? record : records.find(({ stored }) => stored.id === choice.identityProviderId)
    if (!own) return { ok: false, verdict: verifiedBy, reason: 'account-unknown' }
    if ('reason' in choice) return { ok: false, verdict: verifiedBy, providerId: own.stored.id, ...choice }
    // The choice may have waited.
    const stands = own === record && this.#parts.verifier.stillAccepts({ stored: own.keySigner }, verifiedBy.token)
    const verdict = stands ? verifiedBy : await this.#verifyBy(own, jws, from)
    const { id: providerId, requiredScope, revision: providerRevision } = own.stored
    if (!verdict.accepted) return { ...refusedBy(verdict, providerId), account: choice }
    const { token } = verdict
    const lacksScope = requiredScope !== null && !hasScope(token.claims, requiredScope)
    const reason = findAccessRefusal(choice, this.#parts.clock.now()) ?? (lacksScope ? 'scope-missing' : undefined)
    if (reason) return { ok: false, reason, verdict, providerId, account: choice }
    const credential = { accountRevision: choice.revision, providerRevision }
    const endsAt = this.#parts.clock.now() + MAX_TOKEN_SECONDS * 1000
    return { ok: true, account: { ...choice, credential, endsAt, ...possessionOf(token) } }
  }
}

/** The records that verify for an organization: those with federated accounts, or any, so that the time taken does not tell which. */
function recordsFor(records: readonly DirectoryProvider[], { byId }: FederatedAccounts): readonly DirectoryProvider[] {
  const used = new Set([...byId.values()].map(({ identityProviderId }) => identityProviderId))
  const own = records.filter(({ stored }) => used.has(stored.id))
  return (own.length > 0 ? own : records.slice(0, 1)).slice(0, MAX_RECORDS)
}
