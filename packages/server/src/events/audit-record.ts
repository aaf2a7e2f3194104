import type { AuditHead, AuditKey } from '@countersign/core'
import type { Logger } from 'pino'
import type { Clock } from '../platform/clock.ts'
import { type AuditSigningKey, createAuditKey, openAuditKey, signAuditHead } from '../platform/keys/audit-key.ts'
import type { Sealing } from '../platform/keys/sealing.ts'
import type { Settings } from '../platform/settings/index.ts'
import type { AuditStreamRow } from '../store/event-schema.ts'
import { findOldEnds, listAuditStreams } from '../store/reads/audit-reads.ts'
import { hasPendingRecords } from '../store/reads/event-sink-reads.ts'
import { listSettings } from '../store/reads/setting-reads.ts'
import type { Store } from '../store/store.ts'
import type { AuditHeadEvent } from './controller-event.ts'

export interface AuditRecordParts {
  readonly store: Pick<Store, 'db'>
  readonly clock: Clock
  readonly log: Logger
  readonly sealing: Sealing
  readonly settings: Pick<Settings, 'audit'>
  /** Whether this process signs heads without being asked. */
  readonly isLead: boolean
  /** Chains pending records. Resolves to whether there may be more. */
  arrange(): Promise<boolean>
  /** Stores a setting unless it has a value. Resolves to its value. */
  ensureSetting(name: string, value: string): Promise<string>
  storeHeads(heads: readonly AuditHead[], events: readonly AuditHeadEvent[]): Promise<void>
  /** Deletes entries up to an anchor. Resolves to whether there may be more. */
  prune(anchor: AuditHead): Promise<boolean>
}

/** A signed head, as the API returns it. */
export interface SignedHead extends AuditHead {
  readonly at: number
  readonly publicKey: AuditKey
}

const SETTING = 'auditKey.'
/** A head that is requested is signed again when it is older. */
const FRESH_MS = 5_000

/** Chains what happened, and signs the ends of the chains. */
export class AuditRecord {
  readonly #parts: AuditRecordParts
  readonly #timer: NodeJS.Timeout | undefined
  #key: Promise<AuditSigningKey> | undefined
  #signing: Promise<void> | undefined

  constructor(parts: AuditRecordParts) {
    this.#parts = parts
    if (parts.isLead)
      this.#timer = setInterval(() => void this.#signRegularly(), parts.settings.audit.signSeconds * 1000).unref()
  }

  /** Resolves when everything that was recorded before is in the chains. */
  async settle(): Promise<void> {
    const { store, arrange } = this.#parts
    if (await hasPendingRecords(store.db)) while (await arrange());
  }

  /** The signed heads of all nodes, at most a few seconds old, with the anchors of what retention has deleted. */
  async heads(): Promise<{ readonly heads: readonly SignedHead[]; readonly anchors: readonly SignedHead[] }> {
    await this.settle()
    const { clock, store } = this.#parts
    const keys = await this.keys()
    await this.#sign((stream) => isBehind(stream) || stream.signed_at < clock.now() - FRESH_MS)
    const streams = await listAuditStreams(store.db)
    const signedBy = (signature: string): AuditKey => {
      const { kid } = JSON.parse(Buffer.from(signature.split('.')[0] ?? '', 'base64url').toString())
      return keys.find((key) => key.kid === kid) ?? {}
    }
    const shown = (node: string, place: StoredHead, at: number): SignedHead[] => {
      const { sequence, hash, signature } = place
      return hash === null || signature === null
        ? []
        : [{ node, sequence, hash, signature, at, publicKey: signedBy(signature) }]
    }
    return {
      heads: streams.flatMap((row) =>
        shown(
          row.node,
          { sequence: row.signed_sequence, hash: row.signed_hash, signature: row.signature },
          row.signed_at,
        ),
      ),
      anchors: streams.flatMap((row) => {
        const { node, anchor_sequence: sequence, anchor_hash: hash, anchor_signature: signature } = row
        return shown(node, { sequence, hash, signature }, row.signed_at)
      }),
    }
  }

  /** The public keys of all nodes. */
  async keys(): Promise<AuditKey[]> {
    await this.#loadKey()
    const stored = await listSettings(this.#parts.store.db, SETTING)
    return stored.map(({ value }) => (JSON.parse(value) as StoredKey).publicJwk)
  }

  /** Deletes entries older than `before`, each node's up to an anchor that vouches for them. */
  async prune(before: number): Promise<void> {
    const { store, clock, prune } = this.#parts
    const ends = await findOldEnds(store.db, before)
    if (ends.length === 0) return
    const key = await this.#loadKey()
    for (const end of ends) while (await prune(signAuditHead(key, end, { kind: 'anchor', now: clock.now() })));
  }

  /** Signs what is new, for sinks too. */
  async sign(): Promise<void> {
    await this.settle()
    await this.#sign(isBehind)
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer)
    await this.#signing
  }

  async #signRegularly(): Promise<void> {
    this.#signing ??= this.sign()
      .catch((error: unknown) => {
        this.#parts.log.warn({ err: error }, 'the heads of the audit record could not be signed yet')
      })
      .finally(() => {
        this.#signing = undefined
      })
    await this.#signing
  }

  async #sign(isDue: (stream: AuditStreamRow) => boolean): Promise<void> {
    const { store, clock, storeHeads } = this.#parts
    const due = (await listAuditStreams(store.db)).filter(isDue)
    if (due.length === 0) return
    const key = await this.#loadKey()
    const now = clock.now()
    const heads = due.map(({ node, sequence, hash }) => {
      return signAuditHead(key, { node, sequence: Number(sequence), hash }, { kind: 'head', now })
    })
    const news = new Set(due.filter(isBehind).map(({ node }) => node))
    const events = heads.filter(({ node }) => news.has(node)).map(headEvent)
    await storeHeads(heads, events)
  }

  /** The key of the nodes with this sealing key. The first call creates it. */
  async #loadKey(): Promise<AuditSigningKey> {
    this.#key ??= this.#ensureKey().catch((error: unknown) => {
      this.#key = undefined
      throw error
    })
    return this.#key
  }

  async #ensureKey(): Promise<AuditSigningKey> {
    const { sealing, ensureSetting } = this.#parts
    const sealed = createAuditKey(sealing)
    const { publicJwk } = openAuditKey(sealed, sealing)
    const created: StoredKey = { publicJwk, sealed }
    const stored = await ensureSetting(`${SETTING}${sealing.keyId}`, JSON.stringify(created))
    return openAuditKey((JSON.parse(stored) as StoredKey).sealed, sealing)
  }
}

interface StoredKey {
  readonly publicJwk: AuditKey
  readonly sealed: string
}

interface StoredHead {
  readonly sequence: number
  readonly hash: string | null
  readonly signature: string | null
}

function isBehind({ sequence, signed_sequence: signed }: AuditStreamRow): boolean {
  return Number(signed) < Number(sequence)
}

function headEvent(head: AuditHead): AuditHeadEvent {
  return { namespace: 'auditHead', event_type: 'signed', ...head }
}
