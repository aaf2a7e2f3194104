/** Runs what has the same key one after the other, and everything else at once. */
export type TakeTurn = <Result>(key: string, run: () => Promise<Result>) => Promise<Result>

/** Turns within this process. Whoever fails does not hold up those behind him. */
export function createTurns(): TakeTurn {
  const last = new Map<string, Promise<unknown>>()
  return async (key, run) => {
    const before = last.get(key) ?? Promise.resolve()
    const mine = before.then(run, run)
    last.set(key, mine)
    try {
      return await mine
    } finally {
      if (last.get(key) === mine) last.delete(key)
    }
  }
}
