import { type SignerAudiences, signerAudiences } from './signer-audiences.ts'

/** The members by which signers are found. */
export interface IndexedSigner extends SignerAudiences {
  readonly id: string
  readonly issuer: string
}

export interface SignerChoice<Signer> {
  /** Whether any signer has this issuer, with any audience. */
  readonly issuerKnown: boolean
  /** Signers with exactly this issuer and one of the audiences, by id. */
  readonly candidates: readonly Signer[]
}

/**
 * Finds the signers for a token by its exact issuer and audience, in constant time. Nested maps instead of joined keys, so that two pairs of issuer
 * and audience never collide.
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
      byAudience.set(audience, [...others, signer].sort(compareIds))
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
    return { issuerKnown: true, candidates: [...candidates].sort(compareIds) }
  }

  /** At most `limit` signers with exactly this issuer, by id. For explanations. */
  findByIssuer(issuer: string, limit: number): readonly Signer[] {
    const signers = new Set([...(this.#byIssuer.get(issuer)?.values() ?? [])].flat())
    return [...signers].sort(compareIds).slice(0, limit)
  }
}

function compareIds(left: IndexedSigner, right: IndexedSigner): number {
  return left.id < right.id ? -1 : left.id > right.id ? 1 : 0
}
