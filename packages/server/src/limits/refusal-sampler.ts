/** Refusals kept in a burst. */
const BURST = 500
/** Refusals kept per second after the burst. */
const PER_SECOND = 50
/** Limit per address and second when capacity is low, so that one attacker does not hide the others. */
const PER_ADDRESS = 10

export interface RefusalSampler {
  /** Whether to keep the next refusal, which came from this address at this time. */
  keeps(address: string, now: number): boolean
}

/** Chooses which refusals to keep: normally all, during a flood a bounded sample. */
export function createRefusalSampler(): RefusalSampler {
  let capacity = BURST
  let refilledAt = Number.NEGATIVE_INFINITY
  let second = Number.NEGATIVE_INFINITY
  const keptByAddress = new Map<string, number>()

  return {
    keeps: (address, now) => {
      // Setting the clock back refills nothing now, but must not stop later refills.
      const passed = Math.max(0, now - refilledAt)
      capacity = Math.min(BURST, capacity + (passed / 1000) * PER_SECOND)
      refilledAt = now
      const current = Math.floor(now / 1000)
      if (current !== second) keptByAddress.clear()
      second = current
      const kept = keptByAddress.get(address) ?? 0
      if (capacity < 1 || (capacity <= BURST / 2 && kept >= PER_ADDRESS)) return false
      capacity--
      keptByAddress.set(address, kept + 1)
      return true
    },
  }
}
