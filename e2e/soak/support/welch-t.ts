/** Welch's t: the difference of the means of two samples, in standard errors. An absolute value above 4.5 is significant. */
export function welchT(a: readonly number[], b: readonly number[]): number {
  const [one, two] = [momentsOf(a), momentsOf(b)]
  return (one.mean - two.mean) / Math.sqrt(one.variance / a.length + two.variance / b.length)
}

function momentsOf(sample: readonly number[]): { mean: number; variance: number } {
  const mean = sample.reduce((sum, value) => sum + value, 0) / sample.length
  const squares = sample.reduce((sum, value) => sum + (value - mean) ** 2, 0)
  return { mean, variance: squares / (sample.length - 1) }
}
