const FIRST_CAPACITY = 1_024
const BUCKETS = 8_192
const NONE = -1
/** Lower than every number. */
const TAKEN = 0

/**
 * The numbers of sessions by their identity. Thousands come and go every second: they are kept in arrays of numbers, since as many objects
 * would make V8 take more room for new ones, for good. Identities are told apart by a hash: at times somebody else's sessions are found too.
 */
export class UnfiledSessions {
  /** The last entry of each bucket; each entry points at the one before it. */
  readonly #lastOf = new Int32Array(BUCKETS).fill(NONE)
  #seqs = new Float64Array(FIRST_CAPACITY)
  #hashes = new Int32Array(FIRST_CAPACITY)
  #before = new Int32Array(FIRST_CAPACITY)
  #count = 0

  /** With some of those that were taken. */
  get count(): number {
    return this.#count
  }

  add(identityId: string, seq: number): void {
    this.#addHash(hashOf(identityId), seq)
  }

  /** Those of an identity, which are forgotten here. */
  take(identityId: string): number[] {
    const hash = hashOf(identityId)
    const bucket = hash & (BUCKETS - 1)
    const taken: number[] = []
    let kept = NONE
    for (let at = this.#lastOf[bucket] ?? NONE; at !== NONE; ) {
      const before = this.#before[at] ?? NONE
      if (this.#hashes[at] === hash) {
        taken.push(this.#seqs[at] ?? TAKEN)
        this.#seqs[at] = TAKEN
      } else {
        this.#before[at] = kept
        kept = at
      }
      at = before
    }
    this.#lastOf[bucket] = kept
    return taken
  }

  /** Forgets those up to this number. */
  dropUntil(seq: number): void {
    const count = this.#count
    this.#lastOf.fill(NONE)
    this.#count = 0
    for (let at = 0; at < count; at += 1) {
      const each = this.#seqs[at] ?? TAKEN
      if (each > seq) this.#addHash(this.#hashes[at] ?? 0, each)
    }
  }

  #addHash(hash: number, seq: number): void {
    if (this.#count === this.#seqs.length) this.#grow()
    const at = this.#count
    const bucket = hash & (BUCKETS - 1)
    this.#seqs[at] = seq
    this.#hashes[at] = hash
    this.#before[at] = this.#lastOf[bucket] ?? NONE
    this.#lastOf[bucket] = at
    this.#count += 1
  }

  #grow(): void {
    const capacity = this.#count * 2
    const longer = <Numbers extends Float64Array | Int32Array>(numbers: Numbers, into: Numbers): Numbers => {
      into.set(numbers)
      return into
    }
    this.#seqs = longer(this.#seqs, new Float64Array(capacity))
    this.#hashes = longer(this.#hashes, new Int32Array(capacity))
    this.#before = longer(this.#before, new Int32Array(capacity))
  }
}

/** FNV-1a. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return hash
}
