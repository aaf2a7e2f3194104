/** A power of two. */
const SLOTS = 65_536
/** Characters at the end of a digest, without the last one, which is not uniformly random. */
const SLOT_LETTERS = 4
const MARK_LETTERS = 8

/**
 * Recently seen digests, in memory of a fixed size. Each digest has one slot, in which the newer digest replaces the older one. A false positive,
 * one in four billion, only costs a cache entry. Uses the end of a digest, because some digests share a prefix.
 */
export class SeenDigests {
  readonly #marks = new Uint32Array(SLOTS)

  /** Records the digest. Returns whether it was recorded before. */
  note(digest: string): boolean {
    const markFrom = digest.length - 1 - MARK_LETTERS
    const slot = mix(digest, markFrom - SLOT_LETTERS, markFrom) % SLOTS
    const mark = mix(digest, markFrom, digest.length - 1) || 1
    if (this.#marks[slot] === mark) return true
    this.#marks[slot] = mark
    return false
  }
}

/** A 32-bit number from some characters of a digest. They are already random. */
function mix(digest: string, from: number, until: number): number {
  let mixed = 0
  for (let at = from; at < until; at += 1) mixed = Math.imul(mixed, 67) + digest.charCodeAt(at)
  return mixed >>> 0
}
