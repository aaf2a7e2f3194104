import type { Guesses, PasswordGuess } from '../../limits/guesses.ts'
import type { Channel } from './channel.ts'
import type { PrimaryProcedures, StartedGuess } from './protocol.ts'

/** Counts guesses in the primary process, for all workers of the node. */
export function createRemoteGuesses(primary: Channel<PrimaryProcedures>): Guesses {
  const remoteGuess = ({ id, wrong }: StartedGuess): PasswordGuess => ({
    wrong,
    settle: (isRight) => primary.call('settleGuess', { id, isRight }),
    lock: (until) => primary.call('lockGuesses', { id, until }),
    reset: () => primary.call('resetGuesses', id),
    end: () => primary.call('endGuess', id),
  })
  return {
    begin: async (name, max) => {
      const started = await primary.call('beginGuess', { name, max })
      return started && remoteGuess(started)
    },
  }
}

type GuessProcedures = Pick<
  PrimaryProcedures,
  'beginGuess' | 'settleGuess' | 'lockGuesses' | 'resetGuesses' | 'endGuess'
>

/** Serves the guesses of one worker. Call `endAll` when the worker ends, so that other guesses do not wait for its guesses. */
export function serveGuesses(guesses: Guesses): { procedures: GuessProcedures; endAll(): void } {
  const running = new Map<number, PasswordGuess>()
  let next = 1
  let hasEnded = false
  const get = (id: number): PasswordGuess => {
    const found = running.get(id)
    if (!found) throw new TypeError(`no guess has the id ${id}`)
    return found
  }
  return {
    procedures: {
      beginGuess: async ({ name, max }) => {
        const guess = await guesses.begin(name, max)
        if (!guess) return undefined
        if (hasEnded) {
          await guess.end()
          return undefined
        }
        const id = next++
        running.set(id, guess)
        return { id, wrong: guess.wrong }
      },
      settleGuess: ({ id, isRight }) => get(id).settle(isRight),
      lockGuesses: ({ id, until }) => get(id).lock(until),
      resetGuesses: (id) => get(id).reset(),
      endGuess: async (id) => {
        const guess = get(id)
        running.delete(id)
        await guess.end()
      },
    },
    endAll: () => {
      hasEnded = true
      for (const guess of running.values()) void guess.end()
      running.clear()
    },
  }
}
