const MAX_SUGGESTIONS = 3
/** A prefix of fewer characters is no hint at what was meant. */
const MIN_PREFIX = 2

/** The candidates that `word` is probably a misspelling or a beginning of, the nearest first. Empty when none is near. */
export function suggest(word: string, candidates: readonly string[]): string[] {
  const near = [...new Set(candidates)].flatMap((candidate) => {
    if (word.length >= MIN_PREFIX && candidate.startsWith(word)) return [{ candidate, distance: 0 }]
    const distance = measureDistance(word, candidate)
    return distance <= limitOf(word, candidate) ? [{ candidate, distance }] : []
  })
  const smallest = Math.min(...near.map(({ distance }) => distance))
  return near.flatMap(({ candidate, distance }) => (distance === smallest ? [candidate] : [])).slice(0, MAX_SUGGESTIONS)
}

/** `did you mean a or b?`; undefined without candidates. */
export function askDidYouMean(suggestions: readonly string[]): string | undefined {
  return suggestions.length === 0 ? undefined : `did you mean ${suggestions.join(' or ')}?`
}

/** One mistake in three characters. */
function limitOf(word: string, candidate: string): number {
  return Math.max(1, Math.floor(Math.min(word.length, candidate.length) / 3))
}

/** How many characters to insert, remove, replace or swap with their neighbour. */
function measureDistance(from: string, to: string): number {
  let [beforeLast, last]: [number[], number[]] = [[], Array.from({ length: to.length + 1 }, (_, index) => index)]
  for (let row = 1; row <= from.length; row++) {
    const next = [row]
    for (let column = 1; column <= to.length; column++) {
      const isSame = from[row - 1] === to[column - 1]
      const isSwapped = row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]
      next[column] = Math.min(
        (last[column] ?? 0) + 1,
        (next[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (isSame ? 0 : 1),
        ...(isSwapped ? [(beforeLast[column - 2] ?? 0) + 1] : []),
      )
    }
    ;[beforeLast, last] = [last, next]
  }
  return last[to.length] ?? 0
}
