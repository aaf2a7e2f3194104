import { TokenBuckets } from '@countersign/core'
import type { Clock } from '../clock.ts'

/** Waits before a client is told of a refusal, when it has had many. */
export type HoldBack = (who: string) => Promise<void> | undefined

/** What is refused in the ordinary course of things, to however many clients behind one address, is told at once. */
const TOLD_AT_ONCE = { burst: 300, perSecond: 50 }
/** The rest is told so much later, and not all at the same moment. */
const LEAST_MS = 250
const MOST_MS = 750
/** Beyond so many it costs less to answer than to keep them. */
const MAX_HELD = 1_000

/**
 * Who is refused over and over waits for being told so: on one connection nobody can then ask faster than this, whatever he sends, and
 * the time of the server is left to everybody else.
 */
export function createHoldBack({ now }: Clock, toldAtOnce = TOLD_AT_ONCE, maxHeld = MAX_HELD): HoldBack {
  const buckets = new TokenBuckets(toldAtOnce)
  let held = 0
  return (who) => {
    if (buckets.take(who, now()) === 0 || held >= maxHeld) return undefined
    held++
    return new Promise((resolve) => {
      const tell = (): void => {
        held--
        resolve()
      }
      setTimeout(tell, LEAST_MS + Math.random() * (MOST_MS - LEAST_MS))
    })
  }
}

export const TELL_AT_ONCE: HoldBack = () => undefined
