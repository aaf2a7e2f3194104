import cluster, { type Worker } from 'node:cluster'
import { fileURLToPath } from 'node:url'
import { forwardToLog } from '../../platform/log/create-log.ts'
import { inheritedOptions } from '../inherited-options.ts'
import { type Channel, createChannel } from './channel.ts'
import type { PrimaryProcedures, WorkerProcedures } from './protocol.ts'

/** A worker process, seen from the primary process. */
export interface WorkerHandle {
  readonly pid: number | undefined
  readonly channel: Channel<WorkerProcedures>
  /** Resolves with the signal or status when the worker has ended. */
  readonly exited: Promise<string>
  /** Disconnects, upon which the worker ends. */
  disconnect(): void
  kill(): void
}

/** Starts a worker process that waits for the call of `start`. */
export function forkWorker(procedures: PrimaryProcedures): WorkerHandle {
  cluster.setupPrimary({
    exec: fileURLToPath(new URL('./worker-process.ts', import.meta.url)),
    args: [],
    serialization: 'advanced',
    // Inheriting stderr would set it to blocking for this process too.
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    execArgv: inheritedOptions(),
  })
  const worker: Worker = cluster.fork()
  const channel = createChannel<WorkerProcedures>(
    {
      send: (message) => {
        if (worker.isConnected()) worker.send(message, () => {})
      },
      onMessage: (listener) => void worker.on('message', listener),
    },
    procedures,
  )
  const { promise: exited, resolve } = Promise.withResolvers<string>()
  if (worker.process.stderr) forwardToLog(worker.process.stderr)
  worker.on('error', () => {})
  worker.once('exit', () => channel.close())
  // After the exit, when all of the log is read.
  worker.process.once('close', (code, signal) => resolve(signal ?? `status ${code}`))
  return {
    pid: worker.process.pid,
    channel,
    exited,
    disconnect: () => {
      if (worker.isConnected()) worker.disconnect()
    },
    kill: () => void worker.process.kill('SIGKILL'),
  }
}
