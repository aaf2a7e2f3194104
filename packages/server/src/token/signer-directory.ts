import { buildVerifySigner, SignerIndex, type VerifySigner } from '@countersign/core'
import type { Logger } from 'pino'
import { mapInTurns } from '../platform/map-in-turns.ts'
import { FollowedRows } from '../store/followed-rows.ts'
import { FETCHED_ONLY, type KeySigner, signalKeysId } from '../store/key-signer.ts'
import { findSignerRows, loadSignerRows } from '../store/reads/signer-reads.ts'
import type { SignerRow } from '../store/schema.ts'
import { type StoredSigner, signerFromRow } from '../store/signer-row.ts'
import type { Store } from '../store/store.ts'
import { preparedSigner } from './prepared-signer.ts'

/** A stored signer, and its form for verification, prepared once per revision. */
export interface DirectorySigner {
  readonly id: string
  readonly issuer: string
  readonly audience: string
  readonly additionalAudiences: readonly string[]
  readonly stored: StoredSigner
  readonly verify: VerifySigner<string>
  /** For security events; undefined when the signer receives none. */
  readonly signals: SignalsVerifier | undefined
}

/** The keys and rules for the security events of a signer. */
export interface SignalsVerifier {
  readonly stored: KeySigner
  readonly verify: VerifySigner<string>
}

/**
 * All signers in memory: choosing one costs the same for any number of signers. Signers that the change log reports as changed are read again
 * before the next call returns, so no token is verified by an outdated signer.
 */
export class SignerDirectory {
  readonly #store: Store
  readonly #log: Logger
  readonly #index = new SignerIndex<DirectorySigner>()
  readonly #stored = new Map<string, StoredSigner>()
  readonly #rows: FollowedRows

  constructor(store: Store, log: Logger) {
    this.#store = store
    this.#log = log
    this.#rows = new FollowedRows(store, 'externalJwtSigners', (wanted) =>
      wanted === 'everything' ? this.#readEverything() : this.#readSome(wanted),
    )
  }

  /** Returns the current enabled signers. Throws STORE_UNAVAILABLE when reading fails. */
  async enabled(): Promise<SignerIndex<DirectorySigner>> {
    await this.#rows.settle()
    return this.#index
  }

  /** Returns the signer with this id, enabled or not. */
  async find(id: string): Promise<StoredSigner | undefined> {
    await this.#rows.settle()
    return this.#stored.get(id)
  }

  /** Reads the signer again before the next call returns: a transaction has found a revision that this process does not know yet. */
  expire(id: string): void {
    this.#rows.expire(id)
  }

  /** Returns all signers, enabled or not. */
  async all(): Promise<readonly StoredSigner[]> {
    await this.#rows.settle()
    return [...this.#stored.values()]
  }

  async #readEverything(): Promise<void> {
    const missing = new Set(this.#stored.keys())
    for await (const rows of loadSignerRows(this.#store.db)) {
      await this.#putAll(rows)
      for (const { id } of rows) missing.delete(id)
    }
    for (const id of missing) this.#delete(id)
  }

  async #readSome(ids: readonly string[]): Promise<void> {
    const rows = await findSignerRows(this.#store.db, ids)
    const found = new Set(rows.map(({ id }) => id))
    for (const id of ids) if (!found.has(id)) this.#delete(id)
    await this.#putAll(rows)
  }

  /** In turns: checking the rules of a signer takes milliseconds. */
  async #putAll(rows: readonly SignerRow[]): Promise<void> {
    await mapInTurns(rows, (row) => this.#put(row))
  }

  #put(row: SignerRow): void {
    const signer = signerFromRow(row)
    this.#stored.set(signer.id, signer)
    this.#index.delete(signer.id)
    if (signer.isDamaged) this.#log.error({ signerId: signer.id }, 'a stored signer cannot be read and is disabled')
    if (!signer.enabled) return
    try {
      const { id, issuer, audience, additionalAudiences } = signer
      const verify = preparedSigner(signer)
      const signals = signalsVerifier(signer)
      this.#index.put({ id, issuer, audience, additionalAudiences, stored: signer, verify, signals })
    } catch (error) {
      this.#log.error({ signerId: signer.id, err: error }, 'a stored signer cannot be used and is skipped')
    }
  }

  #delete(id: string): void {
    this.#stored.delete(id)
    this.#index.delete(id)
  }
}

function signalsVerifier(signer: StoredSigner): SignalsVerifier | undefined {
  const { id, revision, clockSkewSeconds, sharedSignals } = signer
  if (!sharedSignals) return undefined
  const { issuer = signer.issuer, audience, jwksUri } = sharedSignals
  const verify = buildVerifySigner({ id, revision, issuer, audience, clockSkewSeconds })
  if (jwksUri === undefined) return { stored: signer, verify }
  return { stored: { ...signer, ...FETCHED_ONLY, id: signalKeysId(id), jwksEndpoint: jwksUri }, verify }
}
