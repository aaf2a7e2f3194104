import { type JsonValue, readKeySet, type SignerKeys } from '@countersign/core'
import { nextActiveAt, rotateOidcKey } from '../operations/oidc/rotate-key.ts'
import type { Clock } from '../platform/clock.ts'
import { createOidcKey, type OidcSigningKey, openOidcKey } from '../platform/keys/oidc-key.ts'
import type { Sealing } from '../platform/keys/sealing.ts'
import type { Settings } from '../platform/settings/index.ts'
import { SYSTEM_ACTOR } from '../store/actor.ts'
import type { OidcKeyRow } from '../store/oidc-schema.ts'
import { loadOidcKeys } from '../store/reads/oidc-key-reads.ts'
import type { Store } from '../store/store.ts'

interface SigningKeysParts {
  readonly store: Store
  readonly clock: Clock
  readonly sealing: Sealing
  readonly settings: Pick<Settings, 'oidc'>
}

/** The keys as they are stored now. */
interface LoadedKeys {
  /** The keys that this node can sign with, the one that is or becomes active last first. */
  readonly own: readonly { readonly activeAt: number; readonly signing: OidcSigningKey }[]
  /** Those of all nodes. */
  readonly jwks: { readonly keys: readonly JsonValue[] }
  readonly verification: SignerKeys
}

const DAY_MS = 86_400_000

/**
 * The signing keys of the OpenID provider. They are in the store, so that every node can verify the tokens of all nodes, and sealed there. A key is
 * published a day before it signs, and as long as a token that it has signed is valid.
 */
export class SigningKeys {
  readonly #parts: SigningKeysParts
  readonly #timing: { readonly periodMs: number; readonly aheadMs: number; readonly keptMs: number }
  #loaded: LoadedKeys | undefined
  #loading: Promise<LoadedKeys> | undefined
  #generation = 0

  constructor(parts: SigningKeysParts) {
    this.#parts = parts
    const { keyDays, refreshTokenSeconds, idTokenSeconds } = parts.settings.oidc
    const keptMs = Math.max(refreshTokenSeconds, idTokenSeconds) * 1000
    this.#timing = { periodMs: keyDays * DAY_MS, aheadMs: DAY_MS, keptMs }
    parts.store.onChange((changes) => {
      if (changes !== 'everything' && !changes.some(({ entity }) => entity === 'oidcKeys')) return
      this.#generation++
      this.#loaded = undefined
      this.#loading = undefined
    })
  }

  /** The key that signs now. The first call creates it. */
  async signing(): Promise<OidcSigningKey> {
    const key = this.#findActive(await this.#load())
    if (key) return key
    await this.#store()
    const created = this.#findActive(await this.#load())
    if (!created) throw new TypeError('the new signing key is not active')
    return created
  }

  /** The public keys of all nodes, as a JWKS. */
  async published(): Promise<LoadedKeys['jwks']> {
    await this.signing()
    return (await this.#load()).jwks
  }

  /** The public keys by kid. */
  async verification(): Promise<SignerKeys> {
    return (await this.#load()).verification
  }

  /** Whether a node signs with this key. */
  async has(kid: string): Promise<boolean> {
    return (await this.verification()).has(kid)
  }

  /** Creates the next key when it is due, and deletes keys whose tokens have expired. */
  async rotate(): Promise<void> {
    const { own } = await this.#load()
    const { clock, store } = this.#parts
    const isDue = nextActiveAt(own[0]?.activeAt, clock.now(), this.#timing) !== undefined
    const rows = await loadOidcKeys(store.db)
    const { periodMs, aheadMs, keptMs } = this.#timing
    const oldest = rows.at(-1)?.active_at ?? Number.POSITIVE_INFINITY
    if (isDue || oldest < clock.now() - periodMs - aheadMs - keptMs) await this.#store()
  }

  #findActive({ own }: LoadedKeys): OidcSigningKey | undefined {
    const now = this.#parts.clock.now()
    return own.find(({ activeAt }) => activeAt <= now)?.signing
  }

  async #store(): Promise<void> {
    const { store, clock, sealing } = this.#parts
    const key = await createOidcKey(sealing)
    const args = { key, sealedWith: sealing.prefix, ...this.#timing }
    await store.run(rotateOidcKey, args, { actorId: SYSTEM_ACTOR.id, now: clock.now() })
  }

  async #load(): Promise<LoadedKeys> {
    if (this.#loaded) return this.#loaded
    this.#loading ??= this.#read()
    return this.#loading
  }

  async #read(): Promise<LoadedKeys> {
    const before = this.#generation
    try {
      const loaded = this.#parse(await loadOidcKeys(this.#parts.store.db))
      if (before === this.#generation) this.#loaded = loaded
      return loaded
    } finally {
      if (before === this.#generation) this.#loading = undefined
    }
  }

  #parse(rows: readonly OidcKeyRow[]): LoadedKeys {
    const own = rows.flatMap(({ kid, private_key: privateKey, active_at: activeAt }) => {
      const signing = openOidcKey({ kid, privateKey }, this.#parts.sealing)
      return signing ? [{ activeAt, signing }] : []
    })
    const keys: JsonValue[] = rows.map(({ public_jwk: jwk }) => JSON.parse(jwk))
    return { own, jwks: { keys }, verification: readKeySet({ keys }).keys }
  }
}
