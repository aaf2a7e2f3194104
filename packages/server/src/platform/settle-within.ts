/** Comes back when all of it has ended, well or not, or so long has passed. */
export async function settleWithin(ms: number, works: readonly (Promise<unknown> | undefined)[]): Promise<void> {
  const { promise: late, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, ms)
  await Promise.race([Promise.allSettled(works), late])
  clearTimeout(timer)
}
