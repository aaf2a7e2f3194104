/** So many at once are all kept … */
const BURST = 500
/** … and from then on so many each second. */
const PER_SECOND = 50
/** While there is little room, no address gets more of it in a second than this: one attacker hides nobody else. */
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
