import cluster, { type Worker } from 'node:cluster'
import { fileURLToPath } from 'node:url'
import { type Channel, createChannel } from './channel.ts'
import type { PrimaryProcedures, WorkerProcedures } from './protocol.ts'

/** A worker process, as the one that started it sees it. */
export interface WorkerHandle {
  readonly pid: number | undefined
  readonly channel: Channel<WorkerProcedures>
  /** Resolves when it has ended, however. */
  readonly exited: Promise<string>
  /** Lets go of it: it ends by itself. */
  disconnect(): void
  kill(): void
}

/** Starts a process that waits to be told what to serve. */
export function forkWorker(procedures: PrimaryProcedures): WorkerHandle {
  cluster.setupPrimary({
    exec: fileURLToPath(new URL('./worker-process.ts', import.meta.url)),
    args: [],
    serialization: 'advanced',
    // Options for this very process, such as a port to debug it on, are not for the workers.
    execArgv: process.execArgv.filter((option) => !option.startsWith('--inspect')),
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
  worker.on('error', () => {})
  worker.once('exit', (code, signal) => {
    channel.close()
    resolve(signal ?? `status ${code}`)
  })
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
