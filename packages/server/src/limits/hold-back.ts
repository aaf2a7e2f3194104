import { clientNetwork, TokenBuckets } from '@countersign/core'
import type { Clock } from '../platform/clock.ts'

/** Waits before a client is told of a refusal, when it has had many. */
export type HoldBack = (address: string) => Promise<void> | undefined

/** What is refused in the ordinary course of things, to however many clients behind one address, is told at once. */
const TOLD_AT_ONCE = { burst: 200, perSecond: 50 }
/** The rest is told so much later, and not all at the same moment. */
const LEAST_MS = 250
const MOST_MS = 750
/** Beyond so many, of one client or of all, it costs less to answer than to keep them. */
const MOST_HELD: HeldLimits = { each: 500, all: 2_000 }

interface HeldLimits {
  readonly each: number
  readonly all: number
}

/**
 * Who is refused over and over waits for being told so. Nobody who waits for his answers can then ask faster than this on one connection,
 * whatever he sends, and the time of the server is left to everybody else.
 */
export function createHoldBack({ now }: Clock, toldAtOnce = TOLD_AT_ONCE, most = MOST_HELD): HoldBack {
  const buckets = new TokenBuckets(toldAtOnce)
  const held = new Map<string, number>()
  let all = 0

  const count = (who: string, change: 1 | -1): void => {
    const each = (held.get(who) ?? 0) + change
    if (each === 0) held.delete(who)
    else held.set(who, each)
    all += change
  }

  return (address) => {
    const who = clientNetwork(address)
    if (buckets.take(who, now()) === 0 || all >= most.all || (held.get(who) ?? 0) >= most.each) return undefined
    count(who, 1)
    return new Promise((resolve) => {
      const tell = (): void => {
        count(who, -1)
        resolve()
      }
      setTimeout(tell, LEAST_MS + Math.random() * (MOST_MS - LEAST_MS))
    })
  }
}

export const TELL_AT_ONCE: HoldBack = () => undefined
