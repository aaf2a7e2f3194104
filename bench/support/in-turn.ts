/** Takes the elements one after the other, and begins again after the last. */
export function inTurn<T>(elements: readonly T[]): () => T {
  if (elements.length === 0) throw new TypeError('nothing to take')
  let at = 0
  return () => elements[at++ % elements.length] as T
}
