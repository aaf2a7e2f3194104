const ROUNDS = 5

/** The least of several rounds: on a busy machine the thread also pauses for other processes. */
export async function leastBusyShare(work: () => Promise<unknown>): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let round = 0; round < ROUNDS; round += 1) least = Math.min(least, await busyShare(work))
  return least
}

/** The longest time in which this thread did nothing else while `work` ran, as a share of that time. */
async function busyShare(work: () => Promise<unknown>): Promise<number> {
  let isDone = false
  let pauseMs = 0
  let last = performance.now()
  const tick = (): void => {
    const now = performance.now()
    pauseMs = Math.max(pauseMs, now - last)
    last = now
    if (!isDone) setImmediate(tick)
  }
  const start = last
  setImmediate(tick)
  await work()
  const tookMs = performance.now() - start
  isDone = true
  await new Promise((resolve) => setImmediate(resolve))
  return pauseMs / tookMs
}
