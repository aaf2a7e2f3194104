/** Returns a function that returns the elements in order, over and over. */
export function roundRobin<T>(elements: readonly T[]): () => T {
  if (elements.length === 0) throw new TypeError('roundRobin needs at least one element')
  let at = 0
  return () => elements[at++ % elements.length] as T
}
