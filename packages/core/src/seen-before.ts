/** As many of the latest as are told apart; a power of two. */
const PLACES = 65_536
/** Letters before the last one, which is not quite random. */
const PLACE_LETTERS = 4
const MARK_LETTERS = 8

/**
 * Which digests came lately, in a piece of memory that never grows: each has one place, where a newer one takes an older one's. To be taken for
 * another, one in four thousand million, costs nothing but room. Digests may begin alike: how they end tells them apart.
 */
export class SeenBefore {
  readonly #marks = new Uint32Array(PLACES)

  /** Whether this digest came before. From now on it has. */
  note(digest: string): boolean {
    const markFrom = digest.length - 1 - MARK_LETTERS
    const place = mix(digest, markFrom - PLACE_LETTERS, markFrom) % PLACES
    const mark = mix(digest, markFrom, digest.length - 1) || 1
    if (this.#marks[place] === mark) return true
    this.#marks[place] = mark
    return false
  }
}

/** A number of 32 bits from some letters of a digest, which are random already. */
function mix(digest: string, from: number, until: number): number {
  let mixed = 0
  for (let at = from; at < until; at += 1) mixed = Math.imul(mixed, 67) + digest.charCodeAt(at)
  return mixed >>> 0
}
