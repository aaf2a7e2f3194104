import { availableParallelism } from 'node:os'

/** What Node starts when it is told nothing. */
const USUAL_THREADS = 4
/** One may be busy with something slow, such as a password. */
const LEAST_THREADS = 2

type Environment = Record<string, string | undefined>

/**
 * No more threads for passwords, files and names than there are cores: they would only take turns, and waking one costs as much as many
 * a task. Takes effect where nothing has used the threads yet; a number that the operator has set stays.
 */
export function limitPoolThreads(env: Environment = process.env, cores: number = availableParallelism()): void {
  env.UV_THREADPOOL_SIZE ||= String(Math.min(USUAL_THREADS, Math.max(LEAST_THREADS, cores)))
}

/** How many threads there are in Node's pool: one where what is set is no number. */
export function poolThreads({ UV_THREADPOOL_SIZE }: Environment = process.env): number {
  if (UV_THREADPOOL_SIZE === undefined) return USUAL_THREADS
  const threads = Number.parseInt(UV_THREADPOOL_SIZE, 10)
  return threads > 0 ? threads : 1
}
