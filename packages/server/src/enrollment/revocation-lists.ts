import { type CertificateIssuer, issueRevocationList, issuerKeyIdOf } from '@countersign/core'
import {
  publishRevocationList,
  recordEarlierCertificates,
  updateRevocations,
} from '../operations/certificate/update-revocations.ts'
import type { Clock } from '../platform/clock.ts'
import { SYSTEM_ACTOR } from '../store/actor.ts'
import type { Change } from '../store/change.ts'
import {
  type CertificateScope,
  findListState,
  findReleasedCertificates,
  findRevocationList,
  findUnrecordedCertificates,
  listRevokedCertificates,
  readOutdatedCertificates,
} from '../store/reads/issued-certificate-reads.ts'
import type { Store } from '../store/store.ts'

interface RevocationListsParts {
  readonly store: Store
  readonly clock: Clock
  /** The issuers whose keys this node has, the current one first. */
  readonly issuers: () => readonly CertificateIssuer[]
  /** False for a worker that does not call `update`: it need not note what changes. */
  readonly isUpdating: boolean
}

/** A signed list as it is served. */
export interface RevocationList {
  readonly der: Buffer
  readonly etag: string
  readonly thisUpdate: number
  readonly nextUpdate: number
}

interface KeptList {
  readonly list: RevocationList
  readonly number: number
  /** When it was last compared with the stored one. */
  comparedAt: number
}

interface ChangedIds {
  readonly identities: Set<string>
  readonly authenticators: Set<string>
}

const HOUR_MS = 3_600_000
/** RFC 5280 has no limit; ours is 32 days. A week lets a controller be down for days. */
const VALID_MS = 7 * 24 * HOUR_MS
/** A list is signed again after this time although nothing has changed. */
const RENEW_MS = 24 * HOUR_MS
/** Clients whose clock is behind ours must not find a list of the future. */
const BACKDATED_MS = 60_000
/** Another node can have stored a later list. */
const COMPARE_MS = 1_000
const PAGE = 500
/** Each page of one identity sorts all its certificates, beside the serving thread. */
const COMPARED_AT_ONCE = 5_000
/** With more changed ids between two calls, all certificates are compared. */
const MAX_CHANGED = 50_000
/** Lists of other keys are not kept: their names come from callers. */
const MAX_KEPT = 16
const MAX_TRIES = 5

/**
 * The lists of revoked certificates, one for each issuer. They are in the store: all nodes serve the same bytes. A node signs the list of an issuer
 * when it has its key, the list is outdated, and no other node was faster.
 */
export class RevocationLists {
  readonly #parts: RevocationListsParts
  readonly #kept = new Map<string, KeptList>()
  /** What has changed since the last comparison. */
  #changed: ChangedIds | 'everything' = 'everything'
  #hasRecordedEarlier = false
  #running: Promise<void> | undefined

  constructor(parts: RevocationListsParts) {
    this.#parts = parts
    parts.store.onChange((changes) => this.#follow(changes))
  }

  /** The list of the current issuer, or of the one with this key identifier in hex. Undefined when there is none, or an outdated one. */
  async find(issuerKeyId?: string): Promise<RevocationList | undefined> {
    const { issuers, clock } = this.#parts
    const [current] = issuers()
    const wanted = issuerKeyId ?? (current && issuerKeyIdOf(current))
    if (wanted === undefined) return undefined
    const found = await this.#load(wanted)
    if (found && clock.now() < found.nextUpdate) return found
    if (!issuers().some((issuer) => issuerKeyIdOf(issuer) === wanted)) return undefined
    // There is no list before the first request or the first revocation.
    for (const issuer of issuers()) await this.#publish(issuer)
    return this.#load(wanted)
  }

  /** Compares what has changed since the last call, and signs the lists that are outdated. Call it every second. */
  update(): Promise<void> {
    this.#running ??= this.#update().finally(() => {
      this.#running = undefined
    })
    return this.#running
  }

  /** Records certificates of earlier releases. */
  async recordEarlier(): Promise<void> {
    const { store } = this.#parts
    if ((await findUnrecordedCertificates(store.db, 1)).length > 0) {
      while (await store.run(recordEarlierCertificates, {}, this.#meta()));
      this.#changed = 'everything'
    }
    this.#hasRecordedEarlier = true
  }

  #follow(changes: readonly Change[] | 'everything'): void {
    if (changes === 'everything') {
      this.#changed = 'everything'
      return
    }
    for (const { entity, id, action } of changes) {
      if (this.#changed === 'everything' || !this.#parts.isUpdating) return
      if (action === 'relabelled' || (entity !== 'identities' && entity !== 'authenticators')) continue
      this.#changed[entity].add(id)
      if (this.#changed[entity].size > MAX_CHANGED) this.#changed = 'everything'
    }
  }

  async #update(): Promise<void> {
    if (!this.#hasRecordedEarlier) await this.recordEarlier()
    const changed = this.#changed
    if (this.#parts.isUpdating) this.#changed = { identities: new Set(), authenticators: new Set() }
    try {
      await this.#compare(changed)
      for (const issuer of this.#parts.issuers()) await this.#publish(issuer, { isOnlyNext: true })
    } catch (error) {
      this.#changed = 'everything'
      throw error
    }
  }

  async #compare(changed: ChangedIds | 'everything'): Promise<void> {
    const { store, clock } = this.#parts
    const released = await findReleasedCertificates(store.db, clock.now(), PAGE)
    if (released.length > 0) await store.run(updateRevocations, { serials: released }, this.#meta())
    if (changed !== 'everything') {
      for (const identityIds of pagesOf(changed.identities)) await this.#correct({ identityIds, authenticatorIds: [] })
      for (const authenticatorIds of pagesOf(changed.authenticators)) {
        await this.#correct({ identityIds: [], authenticatorIds })
      }
      return
    }
    await this.#correct('all')
  }

  async #correct(scope: CertificateScope): Promise<void> {
    const { store, clock } = this.#parts
    for (let after: string | undefined = ''; after !== undefined; ) {
      const compared = await readOutdatedCertificates(store, { scope, after, limit: COMPARED_AT_ONCE }, clock.now())
      for (const page of pagesOf(compared.outdated)) {
        await store.run(updateRevocations, { serials: page.map(({ serial }) => serial) }, this.#meta())
      }
      after = compared.next
    }
  }

  /**
   * Signs the list of an issuer when it is outdated. Another node can be faster: then its list is compared again. `isOnlyNext`: not when nothing was
   * revoked and the list was never requested.
   */
  async #publish(issuer: CertificateIssuer, { isOnlyNext = false } = {}): Promise<void> {
    const { store, clock } = this.#parts
    const issuerKeyId = issuerKeyIdOf(issuer)
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const state = await findListState(store.db, issuerKeyId)
      if (!state && isOnlyNext) return
      const now = clock.now()
      const { revision = 0, number: replaces = 0 } = state ?? {}
      const age = now - (state?.this_update ?? 0)
      const isFresh = state && state.published_revision === revision && age >= 0 && age < RENEW_MS
      if (isFresh || issuer.facts.notAfter.getTime() <= now) return
      const revoked = await listRevokedCertificates(store, issuerKeyId)
      const dates = { thisUpdate: now - BACKDATED_MS, nextUpdate: now + VALID_MS }
      const list = { issuerKeyId, revision, replaces, number: replaces + 1, ...dates }
      const der = await issueRevocationList({ ...list, revoked }, issuer)
      if (await store.run(publishRevocationList, { ...list, der: der.toString('base64') }, this.#meta())) return
    }
  }

  async #load(issuerKeyId: string): Promise<RevocationList | undefined> {
    const { store } = this.#parts
    const kept = this.#kept.get(issuerKeyId)
    const now = performance.now()
    if (kept && now - kept.comparedAt < COMPARE_MS) return kept.list
    if (kept && (await findListState(store.db, issuerKeyId))?.number === kept.number) {
      kept.comparedAt = now
      return kept.list
    }
    const row = await findRevocationList(store.db, issuerKeyId)
    if (!row || row.der === '') return undefined
    const { number, this_update: thisUpdate, next_update: nextUpdate } = row
    const list = { der: Buffer.from(row.der, 'base64'), etag: `"${issuerKeyId}-${number}"`, thisUpdate, nextUpdate }
    if (this.#kept.has(issuerKeyId) || this.#kept.size < MAX_KEPT) {
      this.#kept.set(issuerKeyId, { list, number, comparedAt: now })
    }
    return list
  }

  #meta() {
    return { actorId: SYSTEM_ACTOR.id, now: this.#parts.clock.now() }
  }
}

function pagesOf<Item>(items: Iterable<Item>): Item[][] {
  const all = [...items]
  return Array.from({ length: Math.ceil(all.length / PAGE) }, (_, page) => all.slice(page * PAGE, (page + 1) * PAGE))
}
