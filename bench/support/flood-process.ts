import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { FloodOptions, FloodResponses } from './flood.ts'

const FLOOD = fileURLToPath(new URL('./flood.ts', import.meta.url))

export interface Flood {
  /** Stops the flood. Returns the responses per second and their number by status. */
  stop(): Promise<{ perSecond: number; responses: FloodResponses }>
}

/** Sends garbage from a separate process, so that it does not slow down the measured clients. */
export async function startFlood(options: FloodOptions): Promise<Flood> {
  const child = fork(FLOOD, { env: { ...process.env, FLOOD: JSON.stringify(options) } })
  const kill = () => child.kill('SIGKILL')
  process.once('exit', kill)
  child.once('exit', () => process.off('exit', kill))
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`the flood process exited with ${code}`)
  })
  const message = () => Promise.race([once(child, 'message').then(([content]) => content), ended])
  await message()
  const started = performance.now()
  return {
    stop: async () => {
      child.send('stop')
      const seconds = (performance.now() - started) / 1000
      const responses = (await message()) as FloodResponses
      ended.catch(() => {})
      return { perSecond: Object.values(responses).reduce((sum, count) => sum + count, 0) / seconds, responses }
    },
  }
}
