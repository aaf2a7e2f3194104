import { type SignerAudiences, signerAudiences } from './signer-audiences.ts'

/** What a signer is chosen by. */
export interface IndexedSigner extends SignerAudiences {
  readonly id: string
  readonly issuer: string
}

export interface SignerChoice<Signer> {
  /** Whether any signer has this issuer, whatever its audience. */
  readonly issuerKnown: boolean
  /** Signers of exactly this issuer with one of the audiences, in order of id. */
  readonly candidates: readonly Signer[]
}

/**
 * Finds the signers that may verify a token by the exact pair of issuer and one of the audiences, at a cost that does not grow with their number. Nested maps
 * instead of joined keys, so that no issuer and audience can be mistaken for another pair.
 */
export class SignerIndex<Signer extends IndexedSigner> {
  readonly #byId = new Map<string, Signer>()
  readonly #byIssuer = new Map<string, Map<string, Signer[]>>()

  get size(): number {
    return this.#byId.size
  }

  /** Adds a signer, or replaces the one with its id. */
  put(signer: Signer): void {
    this.delete(signer.id)
    this.#byId.set(signer.id, signer)
    const byAudience = this.#byIssuer.get(signer.issuer) ?? new Map<string, Signer[]>()
    this.#byIssuer.set(signer.issuer, byAudience)
    for (const audience of signerAudiences(signer)) {
      const others = byAudience.get(audience) ?? []
      byAudience.set(audience, [...others, signer].sort(byIdOrder))
    }
  }

  delete(id: string): void {
    const signer = this.#byId.get(id)
    if (!signer) return
    this.#byId.delete(id)
    const byAudience = this.#byIssuer.get(signer.issuer)
    for (const audience of signerAudiences(signer)) {
      const others = byAudience?.get(audience)?.filter((other) => other !== signer) ?? []
      if (others.length > 0) byAudience?.set(audience, others)
      else byAudience?.delete(audience)
    }
    if (byAudience?.size === 0) this.#byIssuer.delete(signer.issuer)
  }

  findById(id: string): Signer | undefined {
    return this.#byId.get(id)
  }

  choose(issuer: string | undefined, audiences: readonly string[]): SignerChoice<Signer> {
    const byAudience = issuer === undefined ? undefined : this.#byIssuer.get(issuer)
    if (!byAudience) return { issuerKnown: false, candidates: [] }
    const [first, ...more] = audiences
    if (first !== undefined && more.length === 0) return { issuerKnown: true, candidates: byAudience.get(first) ?? [] }
    const candidates = new Set(audiences.flatMap((audience) => byAudience.get(audience) ?? []))
    return { issuerKnown: true, candidates: [...candidates].sort(byIdOrder) }
  }

  /** At most `limit` signers of exactly this issuer, in order of id, for telling somebody what nearly fits. */
  findByIssuer(issuer: string, limit: number): readonly Signer[] {
    const signers = new Set([...(this.#byIssuer.get(issuer)?.values() ?? [])].flat())
    return [...signers].sort(byIdOrder).slice(0, limit)
  }
}

function byIdOrder(left: IndexedSigner, right: IndexedSigner): number {
  return left.id < right.id ? -1 : left.id > right.id ? 1 : 0
}
