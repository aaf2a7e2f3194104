import { setImmediate as nextTurn } from 'node:timers/promises'
import {
  claimReferences,
  createLruCache,
  type JsonObject,
  pickClaims,
  policyReferences,
  selectedClaim,
} from '@countersign/core'
import type { Logger } from 'pino'
import type { Clock } from '../platform/clock.ts'
import type { Sealing } from '../platform/keys/sealing.ts'
import { mapInTurns } from '../platform/map-in-turns.ts'
import type { Settings } from '../platform/settings/index.ts'
import type { StoredAuthPolicy } from '../store/auth-policy-row.ts'
import type { KeptLogin } from '../store/kept-login.ts'
import { findIdentityIdsByClaims } from '../store/reads/identity-reads.ts'
import {
  findLatestLogins,
  findLoginsOfAdministrators,
  findLoginsOfSigner,
  type KeptLoginKey,
  loadKeptLogins,
} from '../store/reads/kept-login-reads.ts'
import type { KeptLoginRow } from '../store/schema.ts'
import type { StoredSigner } from '../store/signer-row.ts'
import type { Store } from '../store/store.ts'
import type { DecisionReason } from './decision-reason.ts'
import { keySourceOf } from './key-source.ts'

/** A login with a token whose signature is valid. */
export interface VerifiedLogin {
  readonly signer: StoredSigner
  readonly claims: JsonObject
  readonly outcome: 'accepted' | DecisionReason
  readonly identityId: string | undefined
  /** That of the identity; undefined when the login led to none. */
  readonly policy?: StoredAuthPolicy | undefined
  /** Of the key that verified the token; undefined when the verdict does not name it. */
  readonly keyThumbprint?: string | undefined
}

interface LoadOptions {
  /** Reads of each caller take turns with those of others. */
  readonly caller: string
  readonly firstSignerIds?: readonly string[]
  /** When it fails with TIMEOUT, in `performance.now()`. */
  readonly untilMs?: number | undefined
}

interface KeptLoginsParts {
  readonly store: Pick<Store, 'db' | 'readLong'>
  readonly clock: Clock
  readonly sealing: Sealing
  readonly settings: Pick<Settings, 'whatIf'>
  readonly log: Logger
  /** Stores logins. Rejects when that fails. */
  readonly save: (logins: readonly KeptLoginRow[]) => Promise<void>
}

/** A refused login, as its decision describes it. */
interface RefusedToken {
  readonly reason: string
  readonly claimedIdentity: string | null
  readonly at: number
}

type Waiting = VerifiedLogin & { readonly at: number }

const isUnnamed = ({ identityId }: Waiting) => identityId === undefined

/** By which the token names an identity. */
function keyOf({ signer, claims }: Waiting) {
  const { claimsProperty, useExternalId } = signer
  const claim = selectedClaim(claimsProperty, claims)
  // PostgreSQL refuses a statement with a NUL, and with it the logins of others.
  return typeof claim === 'string' && !claim.includes('\0') ? { useExternalId, claim } : undefined
}

const BATCH_MS = 200
/** More logins within a batch are left out. A login waits for none of this. */
const MAX_WAITING = 500
const MAX_RECENT = 20_000
const MAX_SEARCHED = 1_000
/** Logins that are read together. */
const PORTION = 200
/** Characters of what is sealed of a login: more than the claims of a token have, unless its signer refers to hundreds of them. A longer one is not kept. */
const MAX_SEALED_LENGTH = 32_768
/** A repeated login with the same claims is stored again after this time. */
const REPEATED_AFTER_MS = 600_000
const DAY_MS = 86_400_000
const USE = 'kept-login'
/** Differ from token to token without a meaning for predictions. */
const TIMES: readonly string[] = ['exp', 'nbf', 'iat', 'auth_time']

/**
 * Keeps the verified claims of recent logins for predictions: those that the configuration refers to and those that the settings name, sealed, bounded in
 * number and age. Writes them behind the logins, in batches.
 */
export class KeptLogins {
  readonly #parts: KeptLoginsParts
  readonly #waiting: Waiting[] = []
  readonly #recent = createLruCache<string, number>(MAX_RECENT)
  readonly #names = new WeakMap<StoredSigner, readonly string[]>()
  #timer: NodeJS.Timeout | undefined
  #draining: Promise<void> | undefined

  constructor(parts: KeptLoginsParts) {
    this.#parts = parts
  }

  /** Queues a login to be stored. Returns at once, and never throws. */
  record(login: VerifiedLogin): void {
    const { settings, clock } = this.#parts
    if (!settings.whatIf.keepLogins || this.#waiting.length >= MAX_WAITING) return
    this.#waiting.push({ ...login, at: clock.now() })
    this.#timer ??= setTimeout(() => void this.flush(), BATCH_MS).unref()
  }

  /** Resolves when the logins that were recorded before are stored, or could not be. */
  async flush(): Promise<void> {
    await this.#draining
    await this.#drain()
  }

  /** The latest logins in portions, those of `firstSignerIds` before others. Leaves out those that cannot be read. */
  async *load(
    limit: number,
    { caller, firstSignerIds = [], untilMs }: LoadOptions,
  ): AsyncGenerator<readonly KeptLogin[], void> {
    const { store, clock, settings } = this.#parts
    if (!settings.whatIf.keepLogins) return
    await this.flush()
    const since = clock.now() - settings.whatIf.keepDays * DAY_MS
    yield* this.#inPortions(await findLatestLogins(store, { caller, since, limit, firstSignerIds }), untilMs)
  }

  /** The last accepted login of each administrator by each signer. */
  async loadOfAdministrators(): Promise<KeptLogin[]> {
    const { store, clock, settings } = this.#parts
    if (!settings.whatIf.keepLogins) return []
    await this.flush()
    const since = clock.now() - settings.whatIf.keepDays * DAY_MS
    const keys = await findLoginsOfAdministrators(store.db, { since, limit: MAX_SEARCHED })
    const byPlace = Map.groupBy(keys, (key) => `${key.identity_id} ${key.signer_id}`)
    const last = [...byPlace.values()].flatMap(([first]) => first ?? [])
    const logins: KeptLogin[] = []
    for await (const portion of this.#inPortions(last)) logins.push(...portion)
    return logins
  }

  /** The login behind a refusal: that of the claimed identity, or the one that was kept last before it. */
  async findRefused(signer: StoredSigner, refusal: RefusedToken): Promise<KeptLogin | undefined> {
    await this.flush()
    const { reason: outcome, claimedIdentity, at } = refusal
    const keys = await findLoginsOfSigner(this.#parts.store.db, { signerId: signer.id, outcome, limit: MAX_SEARCHED })
    const isBehind = (login: KeptLogin) =>
      claimedIdentity === null
        ? login.at <= at + BATCH_MS
        : selectedClaim(signer.claimsProperty, login.claims) === claimedIdentity
    for await (const kept of this.#inPortions(keys)) {
      const found = kept.find(isBehind)
      if (found) return found
    }
    return undefined
  }

  /** Other requests have their turn before each portion. */
  async *#inPortions(keys: readonly KeptLoginKey[], untilMs?: number): AsyncGenerator<readonly KeptLogin[], void> {
    for (let at = 0; at < keys.length; at += PORTION) {
      await nextTurn()
      const rows = await loadKeptLogins(this.#parts.store.db, keys.slice(at, at + PORTION))
      yield (await mapInTurns(rows, (row) => this.#open(row), { untilMs })).flat()
    }
  }

  #drain(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#draining ??= this.#save(this.#waiting.splice(0)).finally(() => {
      this.#draining = undefined
    })
    return this.#draining
  }

  async #save(logins: readonly Waiting[]): Promise<void> {
    if (logins.length === 0) return
    const rows = new Map<string, KeptLoginRow>()
    try {
      // Of logins with the same claims the last counts: a statement cannot write a row twice.
      for (const login of await this.#withIdentities(logins)) {
        for (const row of this.#rowOf(login)) rows.set(`${row.signer_id} ${row.digest}`, row)
      }
      if (rows.size > 0) await this.#parts.save([...rows.values()])
    } catch (error) {
      for (const key of rows.keys()) this.#recent.delete(key)
      this.#parts.log.debug({ err: error, logins: rows.size }, 'the claims of logins could not be kept')
    }
  }

  /** Names the identities of refused tokens, too, so that what is kept of them is deleted with these. */
  async #withIdentities(logins: readonly Waiting[]): Promise<readonly Waiting[]> {
    const unnamed = new Map(logins.filter(isUnnamed).map((login) => [login, keyOf(login)] as const))
    const keys = [...unnamed.values()]
    const claimsOf = (useExternalId: boolean) =>
      keys.flatMap((key) => (key?.useExternalId === useExternalId ? [key.claim] : []))
    const found = await findIdentityIdsByClaims(this.#parts.store.db, {
      ids: claimsOf(false),
      externalIds: claimsOf(true),
    })
    return logins.map((login) => {
      const key = unnamed.get(login)
      return key
        ? { ...login, identityId: key.useExternalId ? found.byExternalId.get(key.claim) : found.byId.get(key.claim) }
        : login
    })
  }

  /** Empty when the same login was stored recently. */
  #rowOf({ signer, policy, claims, outcome, identityId, keyThumbprint, at }: Waiting): KeptLoginRow[] {
    const { sealing } = this.#parts
    const names = this.#namesOf(signer, policy)
    const kept = pickClaims(claims, names)
    const lasting = pickClaims(
      kept,
      Object.keys(kept).filter((name) => !TIMES.includes(name)),
    )
    const keys = { keySource: keySourceOf(signer).digest, keyThumbprint: keyThumbprint ?? null }
    const digest = sealing.mac(
      JSON.stringify([outcome, identityId ?? null, names, lasting, keys]),
      `${USE} ${signer.id}`,
    )
    const key = `${signer.id} ${digest}`
    const storedAt = this.#recent.get(key) ?? Number.NEGATIVE_INFINITY
    if (at - storedAt < REPEATED_AFTER_MS) return []
    const sealed = sealing.seal(JSON.stringify({ names, claims: kept, ...keys }), `${USE} ${key}`)
    this.#recent.set(key, at)
    if (sealed.length > MAX_SEALED_LENGTH) return []
    return [{ signer_id: signer.id, digest, identity_id: identityId ?? null, outcome, sealed_claims: sealed, at }]
  }

  #namesOf(signer: StoredSigner, policy: StoredAuthPolicy | undefined): readonly string[] {
    const names = this.#namesOfSigner(signer)
    if (!policy?.acceptRule) return names
    return [...new Set([...names, ...policyReferences(policy).names])].sort()
  }

  #namesOfSigner(signer: StoredSigner): readonly string[] {
    let names = this.#names.get(signer)
    if (!names) {
      names = [...new Set([...claimReferences(signer).names, ...this.#parts.settings.whatIf.keepClaims])].sort()
      this.#names.set(signer, names)
    }
    return names
  }

  #open({
    signer_id: signerId,
    digest,
    identity_id: identityId,
    outcome,
    sealed_claims: sealed,
    at,
  }: KeptLoginRow): KeptLogin[] {
    try {
      const { names, claims, keySource, keyThumbprint } = JSON.parse(
        this.#parts.sealing.open(sealed, `${USE} ${signerId} ${digest}`),
      )
      return [{ signerId, identityId, outcome, at, names, claims, keySource, keyThumbprint }]
    } catch {
      // Sealed with a lost key: nothing can be predicted from it.
      return []
    }
  }
}
