/** Returns the smallest value that at least `share` of the values do not exceed, or 0 for an empty list. `sorted` is ascending. */
export function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0
}

/** Returns the lower median, or 0 for an empty list. */
export function median(values: readonly number[]): number {
  return percentile(
    [...values].sort((a, b) => a - b),
    0.5,
  )
}
