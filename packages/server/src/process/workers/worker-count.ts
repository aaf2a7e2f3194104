import { availableParallelism } from 'node:os'

/** One process keeps about two cores busy: its event loop, and the threads that check signatures, digest and write. */
const CORES_PER_WORKER = 2

/** How many processes serve. `auto` is one for every two cores; the figures are in docs/decisions/storage-and-nodes.md. */
export function workerCount(workers: number | 'auto', cores: number = availableParallelism()): number {
  return workers === 'auto' ? Math.max(1, Math.ceil(cores / CORES_PER_WORKER)) : workers
}
