/** A burst of this size is kept whole. */
const BURST = 500
/** After the burst. */
const PER_SECOND = 50
/** While there is little room, each address gets this much of it in a second, so that one attacker does not hide the others. */
const PER_ADDRESS = 10

export interface DecisionSample {
  /** Whether the next refusal, from this address at this instant, is kept. */
  keeps(address: string, now: number): boolean
}

/** Chooses which refusals are kept when there are too many: all of them in quiet times, a bounded share of a flood. */
export function createDecisionSample(): DecisionSample {
  let room = BURST
  let refilledAt = Number.NEGATIVE_INFINITY
  let second = Number.NEGATIVE_INFINITY
  const keptOf = new Map<string, number>()

  return {
    keeps: (address, now) => {
      // A clock that is set back refills nothing, and must not stop the refilling for as long as that.
      const passed = Math.max(0, now - refilledAt)
      room = Math.min(BURST, room + (passed / 1000) * PER_SECOND)
      refilledAt = now
      const current = Math.floor(now / 1000)
      if (current !== second) keptOf.clear()
      second = current
      const kept = keptOf.get(address) ?? 0
      if (room < 1 || (room <= BURST / 2 && kept >= PER_ADDRESS)) return false
      room--
      keptOf.set(address, kept + 1)
      return true
    },
  }
}
