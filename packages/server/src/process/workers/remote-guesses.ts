import type { Guesses, GuessPlace } from '../../limits/guesses.ts'
import type { Channel } from './channel.ts'
import type { GuessTaken, PrimaryProcedures } from './protocol.ts'

/** Counts guesses where all workers of the node count them. */
export function createRemoteGuesses(primary: Channel<PrimaryProcedures>): Guesses {
  const placeOf = ({ place, wrong }: GuessTaken): GuessPlace => ({
    wrong,
    judge: (isRight) => primary.call('judgeGuess', { place, isRight }),
    lock: (until) => primary.call('lockGuesses', { place, until }),
    forget: () => primary.call('forgetGuesses', place),
    leave: () => primary.call('leaveGuess', place),
  })
  return {
    take: async (name, most) => {
      const taken = await primary.call('takeGuess', { name, most })
      return taken && placeOf(taken)
    },
  }
}

type GuessProcedures = Pick<
  PrimaryProcedures,
  'takeGuess' | 'judgeGuess' | 'lockGuesses' | 'forgetGuesses' | 'leaveGuess'
>

/** The other end, for one worker. When it ends its guesses under way leave, so that nobody waits for them. */
export function serveGuesses(guesses: Guesses): { procedures: GuessProcedures; leaveAll(): void } {
  const places = new Map<number, GuessPlace>()
  let next = 1
  let isOver = false
  const get = (place: number): GuessPlace => {
    const found = places.get(place)
    if (!found) throw new TypeError('there is no such guess')
    return found
  }
  return {
    procedures: {
      takeGuess: async ({ name, most }) => {
        const taken = await guesses.take(name, most)
        if (!taken) return undefined
        if (isOver) {
          await taken.leave()
          return undefined
        }
        const place = next++
        places.set(place, taken)
        return { place, wrong: taken.wrong }
      },
      judgeGuess: ({ place, isRight }) => get(place).judge(isRight),
      lockGuesses: ({ place, until }) => get(place).lock(until),
      forgetGuesses: (place) => get(place).forget(),
      leaveGuess: async (place) => {
        const left = get(place)
        places.delete(place)
        await left.leave()
      },
    },
    leaveAll: () => {
      isOver = true
      for (const place of places.values()) void place.leave()
      places.clear()
    },
  }
}
