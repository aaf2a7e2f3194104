/** Resolves when all promises have settled, or after `ms`. */
export async function settleWithin(ms: number, promises: readonly (Promise<unknown> | undefined)[]): Promise<void> {
  const { promise: late, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, ms)
  await Promise.race([Promise.allSettled(promises), late])
  clearTimeout(timer)
}
