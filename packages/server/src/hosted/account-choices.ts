import { setImmediate as nextTurn } from 'node:timers/promises'
import { AppError, type VerifiedToken } from '@countersign/core'
import { FairQueue } from '../platform/fair-queue.ts'
import { MAX_TURN_MS } from '../platform/map-in-turns.ts'
import { TurnState } from '../platform/turn-state.ts'
import type { FederatedAccount } from '../store/reads/federated-account-reads.ts'
import { type AccountChoice, type Comparing, chooseAccount } from './choose-account.ts'
import type { FederatedAccounts } from './known-accounts.ts'

interface ChoiceLimits {
  /** Longer choices at the same time, at most one of them of an organization: each takes `MAX_TURN_MS` of a turn of the event loop. */
  readonly atOnce: number
  /** Further choices of one organization fail with SERVER_TOO_MANY_REQUESTS. */
  readonly maxWaiting: number
  /** How long a choice may wait and how long it may take, together less than a request: none goes on for long after its client has gone. */
  readonly maxWaitMs: number
  readonly maxMs: number
}

const LIMITS: ChoiceLimits = { atOnce: 4, maxWaiting: 32, maxWaitMs: 5_000, maxMs: 1_000 }
/** A choice that takes longer waits for its organization's turn. An organization that has used as much of a turn of the event loop begins no other choice in it. */
const SHORT_MS = 2

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

/** Chooses accounts for tokens. Organizations whose choices take long take turns, so that tokens of others never wait for them. */
export class AccountChoices {
  readonly #limits: ChoiceLimits
  readonly #queue: FairQueue
  /** Milliseconds of this turn of the event loop that organizations have used outside the queue. */
  readonly #used = new TurnState(() => new Map<string, number>())
  /** A repeated token has the same claims. */
  readonly #remembered = new WeakMap<Choosing['token'], RememberedChoice>()

  constructor(limits = LIMITS) {
    this.#limits = limits
    this.#queue = new FairQueue({ ...limits, perKey: 1 })
  }

  /** Fails with TIMEOUT when comparing the conditions takes too long, and with SERVER_TOO_MANY_REQUESTS. */
  async choose(choosing: Choosing): Promise<AccountChoice> {
    const since = performance.now()
    const { organizationId, token } = choosing
    let known = this.#findRemembered(choosing)
    // Another request with the same token may choose first.
    for (; !known && this.#usedBy(organizationId) >= SHORT_MS; known = this.#findRemembered(choosing)) {
      await nextTurn()
      if (performance.now() - since > this.#limits.maxWaitMs) throw choiceTimeout()
    }
    if (known) return known
    const comparing = chooseAccount(candidatesOf(choosing), token.claims)
    const ended = this.#compareShortly(comparing, organizationId)
    if (ended) return this.#end(ended, choosing)
    return this.#queue.run(
      organizationId,
      async () => this.#findRemembered(choosing) ?? this.#end(await this.#compareInTurns(comparing), choosing),
      { since },
    )
  }

  #findRemembered({ token, accounts }: Choosing): FederatedAccount | undefined {
    const known = this.#remembered.get(token)
    return known?.reading === accounts.reading ? accounts.byId.get(known.accountId) : undefined
  }

  #usedBy(organizationId: string): number {
    return this.#used.current.get(organizationId) ?? 0
  }

  #compareShortly(comparing: ComparingAccounts, organizationId: string): Ended | undefined {
    const began = performance.now()
    const ended = compareFor(SHORT_MS, comparing)
    this.#used.current.set(organizationId, this.#usedBy(organizationId) + performance.now() - began)
    return ended
  }

  async #compareInTurns(comparing: ComparingAccounts): Promise<Ended> {
    const untilMs = performance.now() + this.#limits.maxMs
    let ended: Ended | undefined
    while (!ended) {
      // The choice before it can have used this turn.
      await nextTurn()
      ended = compareFor(MAX_TURN_MS, comparing, untilMs)
    }
    return ended
  }

  #end({ value: choice }: Ended, { token, accounts }: Choosing): AccountChoice {
    if (!choice) throw choiceTimeout()
    if (!('reason' in choice)) this.#remembered.set(token, { reading: accounts.reading, accountId: choice.id })
    return choice
  }
}

type ComparingAccounts = Comparing<AccountChoice | undefined>
type Ended = IteratorReturnResult<AccountChoice | undefined>

/** Compares for so many milliseconds, and not after `untilMs` of `performance.now()`. Returns undefined unless the choice has ended. */
function compareFor(ms: number, comparing: ComparingAccounts, untilMs = Number.POSITIVE_INFINITY): Ended | undefined {
  const began = performance.now()
  for (let now = began; now < began + ms; now = performance.now()) {
    const step = comparing.next(now <= untilMs)
    if (step.done) return step
  }
  return undefined
}

function candidatesOf({ accounts, providerIds }: Choosing): FederatedAccount[] {
  return [...accounts.byId.values()].filter(({ identityProviderId }) => providerIds.has(identityProviderId))
}

function choiceTimeout(): AppError {
  const message =
    'comparing the token with the conditions of the API accounts took too long: use fewer patterns, or exact values'
  return new AppError('TIMEOUT', { message })
}
