/** The entry file of the embedded database's writer thread. It runs the operations of the table and no others. */
import { parentPort, workerData } from 'node:worker_threads'
import { shrinkHeap } from '../platform/shrink-heap.ts'
import { SqliteWriter } from '../store/sqlite/sqlite-writer.ts'
import { OPERATIONS } from './operations.ts'

if (!parentPort) throw new TypeError('the writer runs as a worker thread')
const writer = new SqliteWriter(OPERATIONS, parentPort, workerData)
shrinkHeap()
writer.start()
