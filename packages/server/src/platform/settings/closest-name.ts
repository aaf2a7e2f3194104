/** The candidate closest to a mistyped name by edit distance; undefined when none is close. Compares the first 100 characters. */
export function findClosestName(name: string, candidates: readonly string[]): string | undefined {
  const typed = name.slice(0, 100).toLowerCase()
  let best: { candidate: string; distance: number } | undefined
  for (const candidate of candidates) {
    const target = candidate.toLowerCase()
    const isMisplaced = lastSegment(typed) === lastSegment(target)
    const distance = editDistance(typed, target)
    const limit = isMisplaced ? Number.POSITIVE_INFINITY : Math.max(2, target.length / 4)
    if (distance <= limit && (best === undefined || distance < best.distance)) best = { candidate, distance }
  }
  return best?.candidate
}

function lastSegment(key: string): string {
  return key.slice(key.lastIndexOf('.') + 1)
}

function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (let row = 1; row <= a.length; row++) {
    const current = [row]
    for (let column = 1; column <= b.length; column++) {
      const substitution = (previous[column - 1] ?? 0) + (a[row - 1] === b[column - 1] ? 0 : 1)
      current.push(Math.min(substitution, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1))
    }
    previous = current
  }
  return previous[b.length] ?? 0
}
