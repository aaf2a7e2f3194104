import { availableParallelism } from 'node:os'

/** One process uses about two cores: its event loop, and the threads that check signatures, digest passwords and write. */
const CORES_PER_WORKER = 2

/** The number of worker processes. `auto` is one per two cores, as measured in docs/decisions/storage-and-nodes.md. */
export function workerCount(workers: number | 'auto', cores: number = availableParallelism()): number {
  return workers === 'auto' ? Math.max(1, Math.ceil(cores / CORES_PER_WORKER)) : workers
}
