/** Carries what counts against a limit between the processes of one node, since a limit holds for the node. */
export interface AttemptSharing {
  /** So many more attempts count here, or fewer when some were given back. */
  note(limit: string, who: string, count: number): void
  /** Hears of those that count in other processes. */
  onNoted(limit: string, apply: (who: string, count: number) => void): void
}

/** Attempts of one process since its last message: limit, key, count. */
export type NotedAttempts = readonly (readonly [limit: string, who: string, count: number])[]

export interface SharedAttempts extends AttemptSharing {
  /** Applies the message of another process. */
  apply(noted: NotedAttempts): void
  stop(): void
}

/** What counts in one process counts in all after this long at most, and the time of a message. */
export const SHARE_EVERY_MS = 50

/** Sends what was noted in one message; an attempt that was given back meanwhile is not sent. */
export function createSharedAttempts(tell: (noted: NotedAttempts) => void): SharedAttempts {
  const counts = new Map<string, Map<string, number>>()
  const listeners = new Map<string, (who: string, count: number) => void>()
  let timer: NodeJS.Timeout | undefined

  const flush = (): void => {
    timer = undefined
    const noted = [...counts].flatMap(([limit, byWhom]) =>
      [...byWhom].filter(([, count]) => count !== 0).map(([who, count]) => [limit, who, count] as const),
    )
    counts.clear()
    if (noted.length > 0) tell(noted)
  }

  return {
    note: (limit, who, count) => {
      const byWhom = counts.get(limit) ?? new Map<string, number>()
      counts.set(limit, byWhom)
      byWhom.set(who, (byWhom.get(who) ?? 0) + count)
      timer ??= setTimeout(flush, SHARE_EVERY_MS).unref()
    },
    onNoted: (limit, apply) => void listeners.set(limit, apply),
    apply: (noted) => {
      for (const [limit, who, count] of noted) listeners.get(limit)?.(who, count)
    },
    stop: () => {
      clearTimeout(timer)
      flush()
    },
  }
}
