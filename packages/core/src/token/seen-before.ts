/** As many of the latest as are told apart; a power of two. */
const PLACES = 65_536
const MARK_FROM = 4
const MARK_UNTIL = 12

/**
 * Which digests came lately, in a piece of memory that never grows: each has one place, where a newer one takes an older one's. To be taken for
 * another, one in four thousand million, costs nothing but room.
 */
export class SeenBefore {
  readonly #marks = new Uint32Array(PLACES)

  /** Whether this digest came before. From now on it has. */
  note(digest: string): boolean {
    const place = mix(digest, 0, MARK_FROM) % PLACES
    const mark = mix(digest, MARK_FROM, MARK_UNTIL) || 1
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
