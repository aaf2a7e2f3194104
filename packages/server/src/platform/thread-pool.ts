import { availableParallelism } from 'node:os'

/** Node's default. */
const DEFAULT_THREADS = 4
/** One thread may be busy with slow work, such as hashing a password. */
const MIN_THREADS = 2

type Environment = Record<string, string | undefined>

/**
 * Limits libuv's pool, which hashes passwords, reads files and resolves names, to the number of cores: more threads would only compete, and waking
 * one costs as much as many tasks. Must be called before the first use of the pool. Keeps a number that the operator has set.
 */
export function limitPoolThreads(env: Environment = process.env, cores: number = availableParallelism()): void {
  env.UV_THREADPOOL_SIZE ||= String(Math.min(DEFAULT_THREADS, Math.max(MIN_THREADS, cores)))
}

/** The size of libuv's pool; 1 when the variable is not a number, as in libuv. */
export function poolThreads({ UV_THREADPOOL_SIZE }: Environment = process.env): number {
  if (UV_THREADPOOL_SIZE === undefined) return DEFAULT_THREADS
  const threads = Number.parseInt(UV_THREADPOOL_SIZE, 10)
  return threads > 0 ? threads : 1
}
