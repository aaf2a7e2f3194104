import { setImmediate as nextTurn } from 'node:timers/promises'
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
import type { FederatedAccount } from '../store/reads/federated-account-reads.ts'
import type { TokenVerifier } from '../token/token-verifier.ts'
import { type AccessVerdict, findAccessRefusal, type RefusedAccess, refusedBy } from './access-verdict.ts'
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

/** The choice for a token among these accounts: both are the same objects while neither has changed. */
interface RememberedChoice {
  readonly accounts: FederatedAccounts
  readonly choice: Choice
}

/** Each is another key set to verify with. */
const MAX_RECORDS = 4
const MAX_TURN_MS = 5

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
    address: string,
  ): Promise<AccessVerdict> {
    const { accounts, verifier } = this.#parts
    let refusal = refusedBy(refuseWithoutSigner(jws, true))
    const trusting = issuer.byOrganization.get(organizationId)
    // Anyone can name an organization, with any text: nothing is read for those that do not trust the issuer, and none of them is concerned.
    if (!trusting) return refusal
    const federated = await accounts.federatedOf(organizationId)
    for (const record of recordsFor(trusting, federated)) {
      const verifying = { stored: record.keySigner, verify: record.federated }
      const verdict = await verifier.verifyWith(verifying, jws, true, address)
      const access = verdict.accepted
        ? await this.#decide(verdict, record, federated)
        : refusedBy(verdict, record.stored.id)
      if (access.ok) return access
      // A record that has verified the token says more than one that has not.
      if (access.verdict?.accepted || !refusal.verdict?.accepted) refusal = access
    }
    return { ...refusal, organizationId }
  }

  async #decide(
    verdict: Extract<Verdict, { accepted: true }>,
    { stored }: DirectoryProvider,
    accounts: FederatedAccounts,
  ): Promise<AccessVerdict> {
    const { token } = verdict
    const { id: providerId, requiredScope, revision: providerRevision } = stored
    const choice = await this.#choose(token, accounts, providerId)
    if ('reason' in choice) return { ok: false, verdict, providerId, ...choice }
    const lacksScope = requiredScope !== null && !hasScope(token.claims, requiredScope)
    const reason = findAccessRefusal(choice, this.#parts.clock.now()) ?? (lacksScope ? 'scope-missing' : undefined)
    if (reason) return { ok: false, reason, verdict, providerId, account: choice }
    const credential = { accountRevision: choice.revision, providerRevision }
    return { ok: true, account: { ...choice, credential, endsAt: this.#parts.clock.now() + MAX_TOKEN_SECONDS * 1000 } }
  }

  /** A repeated token has the same claims: its choice is remembered. */
  async #choose(token: VerifiedToken, accounts: FederatedAccounts, providerId: string): Promise<Choice> {
    const known = this.#choices.get(token)
    if (known?.accounts === accounts) return known.choice
    const ofProvider = [...accounts.values()].filter(({ identityProviderId }) => identityProviderId === providerId)
    const choice = await chooseAccount(ofProvider, token.claims)
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
 * something that its administrators do not see. A disabled account keeps its place, and refuses.
 */
async function chooseAccount(accounts: readonly FederatedAccount[], claims: JsonObject): Promise<Choice> {
  const compared = await compareAll(accounts, claims)
  const matching = compared.filter(({ unmet }) => unmet.length === 0).map(({ account }) => account)
  if (matching.length === 0) return nearest(compared, claims)
  const chosen = findMostSpecific(matching)
  return chosen ?? { reason: 'account-ambiguous', account: matching[0], matching: matching.map(({ name }) => name) }
}

/** An organization can have a thousand accounts: other requests have their turns meanwhile. */
async function compareAll(accounts: readonly FederatedAccount[], claims: JsonObject): Promise<ComparedAccount[]> {
  const compared: ComparedAccount[] = []
  let turnBegan = performance.now()
  for (const account of accounts) {
    compared.push({ account, unmet: account.conditions.filter((condition) => findUnmetClaim([condition], claims)) })
    if (performance.now() - turnBegan < MAX_TURN_MS) continue
    await nextTurn()
    turnBegan = performance.now()
  }
  return compared
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
