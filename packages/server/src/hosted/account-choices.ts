import { AppError, patternsOf, type VerifiedToken } from '@countersign/core'
import { FairQueue } from '../platform/fair-queue.ts'
import type { FederatedAccount } from '../store/reads/federated-account-reads.ts'
import { type AccountChoice, chooseAccount } from './choose-account.ts'
import type { FederatedAccounts } from './known-accounts.ts'

interface ChoiceLimits {
  /** Choices at the same time, at most one of them of an organization: together they take the event loop for so many turns of `mapInTurns`. */
  readonly atOnce: number
  /** Further choices of one organization fail with SERVER_TOO_MANY_REQUESTS. */
  readonly maxWaiting: number
  /** How long a choice may wait and how long it may take, together less than a request: none goes on for long after its client has gone. */
  readonly maxWaitMs: number
  readonly maxMs: number
}

const LIMITS: ChoiceLimits = { atOnce: 4, maxWaiting: 32, maxWaitMs: 5_000, maxMs: 1_000 }
/** The characters of patterns that are compared within a millisecond or two; each counts for some more, since a claim can be long. */
const [QUICK_CHARACTERS, FURTHER_CHARACTERS] = [512, 16]

/**
 * The account that a token has chosen. Holds no account: tokens are cached for long, and with them would be those of every reading that they were
 * used with.
 */
interface RememberedChoice {
  readonly reading: number
  readonly accountId: string
}

/** What a choice depends on: a token, and the federated accounts of these records of an organization. */
interface Choosing {
  readonly token: Pick<VerifiedToken, 'claims'>
  readonly organizationId: string
  readonly accounts: FederatedAccounts
  readonly providerIds: ReadonlySet<string>
}

/** Chooses accounts for tokens. Organizations with many patterns take turns, so that tokens of others never wait for them. */
export class AccountChoices {
  readonly #limits: ChoiceLimits
  readonly #queue: FairQueue
  /** A repeated token has the same claims. */
  readonly #remembered = new WeakMap<Choosing['token'], RememberedChoice>()

  constructor(limits = LIMITS) {
    this.#limits = limits
    this.#queue = new FairQueue({ ...limits, perKey: 1 })
  }

  /** Fails with TIMEOUT when comparing the conditions takes too long, and with SERVER_TOO_MANY_REQUESTS. */
  async choose(choosing: Choosing): Promise<AccountChoice> {
    const known = this.#findRemembered(choosing)
    if (known) return known
    const candidates = candidatesOf(choosing)
    if (isQuick(candidates)) return this.#choose(choosing, candidates)
    const latestStart = performance.now() + this.#limits.maxWaitMs
    return this.#queue.run(choosing.organizationId, async () => {
      if (performance.now() > latestStart) throw choiceTimeout()
      return this.#findRemembered(choosing) ?? this.#choose(choosing, candidates)
    })
  }

  #findRemembered({ token, accounts }: Choosing): FederatedAccount | undefined {
    const known = this.#remembered.get(token)
    return known?.reading === accounts.reading ? accounts.byId.get(known.accountId) : undefined
  }

  async #choose({ token, accounts }: Choosing, candidates: readonly FederatedAccount[]): Promise<AccountChoice> {
    const choice = await chooseAccount(candidates, token.claims, performance.now() + this.#limits.maxMs)
    if (!choice) throw choiceTimeout()
    if (!('reason' in choice)) this.#remembered.set(token, { reading: accounts.reading, accountId: choice.id })
    return choice
  }
}

function candidatesOf({ accounts, providerIds }: Choosing): FederatedAccount[] {
  return [...accounts.byId.values()].filter(({ identityProviderId }) => providerIds.has(identityProviderId))
}

function isQuick(candidates: readonly FederatedAccount[]): boolean {
  const patterns = patternsOf(candidates.flatMap(({ conditions }) => conditions))
  return patterns.reduce((sum, { length }) => sum + length + FURTHER_CHARACTERS, 0) <= QUICK_CHARACTERS
}

function choiceTimeout(): AppError {
  const message =
    'comparing the token with the conditions of the API accounts took too long: use fewer patterns, or exact values'
  return new AppError('TIMEOUT', { message })
}
