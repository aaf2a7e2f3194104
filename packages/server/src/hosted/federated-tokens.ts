import {
  displayValue,
  findMostSpecific,
  findUnmetClaim,
  type JsonObject,
  type RequiredClaim,
  refuseWithoutSigner,
  selectClaim,
  type UntrustedJws,
  type Verdict,
  type VerifiedToken,
} from '@countersign/core'
import { MAX_TOKEN_SECONDS } from '../operations/api-account/issue-account-token.ts'
import type { Clock } from '../platform/clock.ts'
import { mapInTurns } from '../platform/map-in-turns.ts'
import type { FederatedAccount } from '../store/reads/federated-account-reads.ts'
import type { TokenSource, TokenVerifier } from '../token/token-verifier.ts'
import { type AccessVerdict, findAccessRefusal, possessionOf, type RefusedAccess, refusedBy } from './access-verdict.ts'
import { hasScope } from './has-scope.ts'
import type { FederatedAccounts, KnownAccounts } from './known-accounts.ts'
import type { DirectoryProvider, TrustedIssuer } from './provider-directory.ts'

interface FederatedTokensParts {
  readonly accounts: Pick<KnownAccounts, 'federatedOf'>
  readonly verifier: Pick<TokenVerifier, 'verifyWith'>
  readonly clock: Clock
}

/** Which account a verified token acts as, or why none. */
type Choice = FederatedAccount | Pick<RefusedAccess, 'reason' | 'account' | 'unmet' | 'matching'>

type AcceptedVerdict = Extract<Verdict, { accepted: true }>

/** A token that `record` has verified, with what else decides about it. */
interface Verification {
  readonly jws: UntrustedJws
  readonly from: TokenSource
  readonly record: DirectoryProvider
  /** All of the organization that have the issuer, enabled or not. */
  readonly records: readonly DirectoryProvider[]
  readonly federated: FederatedAccounts
}

/** The choice for a token among these accounts: both are the same objects while neither has changed. */
interface RememberedChoice {
  readonly accounts: FederatedAccounts
  readonly choice: Choice
}

/** Each is another key set to verify with. */
const MAX_RECORDS = 4

/** Verifies tokens for the federated accounts of an organization, which their audience has named. */
export class FederatedTokens {
  readonly #parts: FederatedTokensParts
  readonly #choices = new WeakMap<VerifiedToken, RememberedChoice>()

  constructor(parts: FederatedTokensParts) {
    this.#parts = parts
  }

  /**
   * Returns the account whose conditions the token meets, or why it is refused. The conditions are read after the token is verified by a record of
   * the organization. Throws `TooManyRequests` after too many invalid tokens for a record.
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
    const federated = await this.#parts.accounts.federatedOf(organizationId)
    for (const record of recordsFor(trusting, federated)) {
      const verdict = await this.#verifyBy(record, jws, from)
      if (verdict.accepted) {
        const access = await this.#decide(verdict, { jws, from, record, records, federated })
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
    { jws, from, record, records, federated }: Verification,
  ): Promise<AccessVerdict> {
    const choice = await this.#choose(verifiedBy.token, federated, records)
    const own = 'reason' in choice ? record : records.find(({ stored }) => stored.id === choice.identityProviderId)
    if (!own) return { ok: false, verdict: verifiedBy, reason: 'account-unknown' }
    if ('reason' in choice) return { ok: false, verdict: verifiedBy, providerId: own.stored.id, ...choice }
    const verdict = own === record ? verifiedBy : await this.#verifyBy(own, jws, from)
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

  /** A repeated token has the same claims: its choice is remembered. */
  async #choose(
    token: VerifiedToken,
    accounts: FederatedAccounts,
    records: readonly DirectoryProvider[],
  ): Promise<Choice> {
    const known = this.#choices.get(token)
    if (known?.accounts === accounts) return known.choice
    const ids = new Set(records.map(({ stored }) => stored.id))
    const ofIssuer = [...accounts.values()].filter(({ identityProviderId }) => ids.has(identityProviderId))
    const choice = await chooseAccount(ofIssuer, token.claims)
    this.#choices.set(token, { accounts, choice })
    return choice
  }
}

/** The records that verify for an organization: those with federated accounts, or any, so that the time taken does not tell which. */
function recordsFor(records: readonly DirectoryProvider[], accounts: FederatedAccounts): readonly DirectoryProvider[] {
  const used = new Set([...accounts.values()].map(({ identityProviderId }) => identityProviderId))
  const own = records.filter(({ stored }) => used.has(stored.id))
  return (own.length > 0 ? own : records.slice(0, 1)).slice(0, MAX_RECORDS)
}

/** An account, with its conditions that a token does not meet. */
interface ComparedAccount {
  readonly account: FederatedAccount
  readonly unmet: readonly RequiredClaim[]
}

/**
 * The account whose conditions the claims meet. Of several, the one that has the conditions of all others too: any other choice would depend on
 * something that its administrators do not see. An account that is disabled, or whose record is, keeps its place and refuses.
 */
async function chooseAccount(accounts: readonly FederatedAccount[], claims: JsonObject): Promise<Choice> {
  const compared = await compareAll(accounts, claims)
  const matching = compared.filter(({ unmet }) => unmet.length === 0).map(({ account }) => account)
  if (matching.length === 0) return nearest(compared, claims)
  const chosen = findMostSpecific(matching)
  return chosen ?? { reason: 'account-ambiguous', account: matching[0], matching: matching.map(({ name }) => name) }
}

/** An organization can have a thousand accounts. */
function compareAll(accounts: readonly FederatedAccount[], claims: JsonObject): Promise<ComparedAccount[]> {
  return mapInTurns(accounts, (account) => {
    return { account, unmet: account.conditions.filter((condition) => findUnmetClaim([condition], claims)) }
  })
}

/** The account with the fewest unmet conditions. */
function nearest(compared: readonly ComparedAccount[], claims: JsonObject): Choice {
  const [first] = compared.toSorted((a, b) => a.unmet.length - b.unmet.length)
  if (!first) return { reason: 'account-unknown' }
  const unmet = first.unmet.map((condition) => {
    return { condition, received: displayValue(selectClaim(condition.selector, claims)) }
  })
  return { reason: 'condition-unmet', account: first.account, unmet }
}
