import { SignerIndex, unionOfAttributes } from '@countersign/core'
import { mapInTurns } from '../../platform/map-in-turns.ts'
import type { StoredAuthPolicy } from '../../store/auth-policy-row.ts'
import type { StoredIdentity } from '../../store/identity-row.ts'
import type { StoredSigner } from '../../store/signer-row.ts'
import { preparedSigner } from '../../token/prepared-signer.ts'
import type { DirectorySigner } from '../../token/signer-directory.ts'
import type { IdentityTable } from './identity-table.ts'

type WorldSigner = Omit<DirectorySigner, 'signals'>

/** Null for a deleted one. */
type Overlay<Entity> = ReadonlyMap<string, Entity | null>

export interface WorldChanges {
  readonly signers: Overlay<StoredSigner>
  readonly policies: Overlay<StoredAuthPolicy>
  readonly identities: Overlay<StoredIdentity>
}

/** What is stored, read once, for any number of worlds. */
export interface StoredWorld {
  readonly signers: ReadonlyMap<string, StoredSigner>
  readonly identities: IdentityTable
}

/** The configuration and the identities, as they are or as changes would make them. Changes nothing. */
export class World {
  readonly #stored: StoredWorld
  readonly #changes: WorldChanges
  readonly #index = new SignerIndex<WorldSigner>()
  readonly #signers: ReadonlyMap<string, StoredSigner>
  readonly #byExternalId: ReadonlyMap<string, StoredIdentity>

  /** Prepares the changed signers in turns: checking their rules takes milliseconds. Fails with TIMEOUT after `untilMs`. */
  static async build(stored: StoredWorld, changes: WorldChanges, untilMs: number): Promise<World> {
    const world = new World(stored, changes)
    const enabled = [...world.#signers.values()].filter((signer) => signer.enabled)
    await mapInTurns(enabled, (signer) => world.#put(signer), { untilMs })
    return world
  }

  private constructor(stored: StoredWorld, changes: WorldChanges) {
    this.#stored = stored
    this.#changes = changes
    const signers = new Map(stored.signers)
    for (const [id, signer] of changes.signers) {
      if (signer) signers.set(id, signer)
      else signers.delete(id)
    }
    this.#signers = signers
    const changed = [...changes.identities.values()].filter((identity) => identity !== null)
    this.#byExternalId = new Map(
      changed.flatMap((identity) => (identity.externalId === null ? [] : [[identity.externalId, identity] as const])),
    )
  }

  /** The enabled signers. */
  get enabled(): SignerIndex<WorldSigner> {
    return this.#index
  }

  findSigner(id: string): StoredSigner | undefined {
    return this.#signers.get(id)
  }

  findPolicy(id: string): StoredAuthPolicy | undefined {
    const changed = this.#changes.policies.get(id)
    return changed === undefined ? this.#stored.identities.findPolicy(id) : (changed ?? undefined)
  }

  /** The identity must have been loaded into the table. */
  findIdentity(id: string): StoredIdentity | undefined {
    const changed = this.#changes.identities.get(id)
    const identity = changed === undefined ? this.#stored.identities.findById(id) : (changed ?? undefined)
    return identity && this.#withoutDeletedSigners(identity)
  }

  findIdentityByClaim(
    { useExternalId }: Pick<StoredSigner, 'useExternalId'>,
    claim: string,
  ): StoredIdentity | undefined {
    if (!useExternalId) return this.findIdentity(claim)
    const id = (this.#byExternalId.get(claim) ?? this.#stored.identities.findByExternalId(claim))?.id
    const identity = id === undefined ? undefined : this.findIdentity(id)
    return identity?.externalId === claim ? identity : undefined
  }

  /** The attributes that a deleted signer supplies go with it. */
  #withoutDeletedSigners(identity: StoredIdentity): StoredIdentity {
    const isLeft = ({ signerId }: StoredIdentity['suppliedAttributes'][number]) => this.#signers.has(signerId)
    if (identity.suppliedAttributes.every(isLeft)) return identity
    const parts = { ...identity, suppliedAttributes: identity.suppliedAttributes.filter(isLeft) }
    return { ...parts, attributes: unionOfAttributes(parts) }
  }

  #put(stored: StoredSigner): void {
    const { id, issuer, audience, additionalAudiences } = stored
    try {
      this.#index.put({ id, issuer, audience, additionalAudiences, stored, verify: preparedSigner(stored) })
    } catch {
      // The directory skips a signer that cannot be used, too.
    }
  }
}
