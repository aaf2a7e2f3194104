const FIRST_CAPACITY = 1_024
const BUCKETS = 8_192
const NONE = -1
/** Lower than every `seq`. */
const TAKEN = 0

/**
 * The `seq` of sessions by identity. A hash table in typed arrays: thousands of entries come and go every second, and as many objects would grow
 * V8's young generation for good. Compares hashes of identity ids only, so a collision also returns sessions of another identity.
 */
export class UnindexedSessions {
  /** The newest entry of each bucket; `#before` links each entry to the previous one. */
  readonly #lastOf = new Int32Array(BUCKETS).fill(NONE)
  #seqs = new Float64Array(FIRST_CAPACITY)
  #hashes = new Int32Array(FIRST_CAPACITY)
  #before = new Int32Array(FIRST_CAPACITY)
  #count = 0

  /** Includes entries that were taken since the last `dropUntil`. */
  get count(): number {
    return this.#count
  }

  add(identityId: string, seq: number): void {
    this.#addHash(hashOf(identityId), seq)
  }

  /** Removes and returns the sessions of an identity. */
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

  /** Removes all sessions up to `seq`. */
  dropUntil(seq: number): void {
    const count = this.#count
    this.#lastOf.fill(NONE)
    this.#count = 0
    for (let at = 0; at < count; at += 1) {
      const entry = this.#seqs[at] ?? TAKEN
      if (entry > seq) this.#addHash(this.#hashes[at] ?? 0, entry)
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
    const copy = <Numbers extends Float64Array | Int32Array>(numbers: Numbers, into: Numbers): Numbers => {
      into.set(numbers)
      return into
    }
    this.#seqs = copy(this.#seqs, new Float64Array(capacity))
    this.#hashes = copy(this.#hashes, new Int32Array(capacity))
    this.#before = copy(this.#before, new Int32Array(capacity))
  }
}

/** FNV-1a. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return hash
}
