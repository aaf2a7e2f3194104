/** Exchanges counted attempts between the processes of one node: a limit applies to the whole node. */
export interface AttemptSharing {
  /** Adds to the count in this process; negative when attempts were given back. */
  note(limit: string, key: string, count: number): void
  /** Registers a listener for counts of other processes. */
  onNoted(limit: string, apply: (key: string, count: number) => void): void
}

/** Attempts of one process since its last message: limit, key, count. */
export type NotedAttempts = readonly (readonly [limit: string, key: string, count: number])[]

export interface SharedAttempts extends AttemptSharing {
  /** Applies the message of another process. */
  apply(noted: NotedAttempts): void
  stop(): void
}

/** Counts reach the other processes after at most this time plus the time of a message. */
export const SHARE_EVERY_MS = 50

/** Sends the counts in batches. Attempts that were given back before the batch is sent are not sent. */
export function createSharedAttempts(send: (noted: NotedAttempts) => void): SharedAttempts {
  const counts = new Map<string, Map<string, number>>()
  const listeners = new Map<string, (key: string, count: number) => void>()
  let timer: NodeJS.Timeout | undefined

  const flush = (): void => {
    timer = undefined
    const noted = [...counts].flatMap(([limit, byKey]) =>
      [...byKey].filter(([, count]) => count !== 0).map(([key, count]) => [limit, key, count] as const),
    )
    counts.clear()
    if (noted.length > 0) send(noted)
  }

  return {
    note: (limit, key, count) => {
      const byKey = counts.get(limit) ?? new Map<string, number>()
      counts.set(limit, byKey)
      byKey.set(key, (byKey.get(key) ?? 0) + count)
      timer ??= setTimeout(flush, SHARE_EVERY_MS).unref()
    },
    onNoted: (limit, apply) => void listeners.set(limit, apply),
    apply: (noted) => {
      for (const [limit, key, count] of noted) listeners.get(limit)?.(key, count)
    },
    stop: () => {
      clearTimeout(timer)
      flush()
    },
  }
}
