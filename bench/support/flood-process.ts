import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { FloodAnswers, FloodOrder } from './flood.ts'

const FLOOD = fileURLToPath(new URL('./flood.ts', import.meta.url))

export interface Flood {
  /** Ends it; answers how many requests were answered a second, and how. */
  stop(): Promise<{ perSecond: number; answers: FloodAnswers }>
}

/** Garbage from a process of its own, so that making it does not slow down the clients that are measured. */
export async function startFlood(order: FloodOrder): Promise<Flood> {
  const child = fork(FLOOD, { env: { ...process.env, FLOOD: JSON.stringify(order) } })
  const kill = () => child.kill('SIGKILL')
  process.once('exit', kill)
  child.once('exit', () => process.off('exit', kill))
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`the flood ended with ${code}`)
  })
  const message = () => Promise.race([once(child, 'message').then(([said]) => said), ended])
  await message()
  const started = performance.now()
  return {
    stop: async () => {
      child.send('stop')
      const seconds = (performance.now() - started) / 1000
      const answers = (await message()) as FloodAnswers
      ended.catch(() => {})
      return { perSecond: Object.values(answers).reduce((sum, count) => sum + count, 0) / seconds, answers }
    },
  }
}
