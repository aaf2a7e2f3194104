import { snapshotMetrics } from '../../events/metrics/metrics-aggregator.ts'
import { measureProcess } from '../../events/metrics/metrics-server.ts'
import { createRemoteFetchJwks } from '../../keyset/shared-jwks-fetch.ts'
import { createSharedAttempts } from '../../limits/attempt-sharing.ts'
import { systemClock } from '../../platform/clock.ts'
import { createLog } from '../../platform/log/create-log.ts'
import { createSharedChanges } from '../../store/change-sharing.ts'
import { sendOver } from '../delivery/send-over.ts'
import { type StartedNode, startNode, type Undo } from '../start-node.ts'
import { createParentChannel } from './channel.ts'
import type { PrimaryProcedures, WorkerProcedures, WorkerStart } from './protocol.ts'
import { createRemoteGuesses } from './remote-guesses.ts'
import { createWorkerEvents, type WorkerEvents } from './worker-events.ts'

const undo: Undo = []
let node: StartedNode | undefined
let events: WorkerEvents | undefined

// Signals are handled by the primary process, which lets the workers finish their requests.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {})

const getNode = (): StartedNode => {
  if (!node) throw new TypeError('the worker has not been started')
  return node
}

const stop = async (): Promise<void> => {
  for (const step of undo.splice(0).reverse()) await step()
}

const procedures: WorkerProcedures = {
  start: async (start) => {
    node = await startHere(start)
    return node.listen(start.port)
  },
  ensureFirstAdmin: () => getNode().ensureFirstAdmin(),
  reloadKeys: () => getNode().reloadKeys(),
  metrics: () => snapshotMetrics(getNode().controller.metrics.registry),
  attempts: (noted) => attempts.apply(noted),
  changes: (received) => changes.receive(received),
  events: (batch) => events?.receive(batch),
  stop: async ({ lingerMs }) => {
    if (node && lingerMs > 0) await linger(node, lingerMs)
    const registry = node?.controller.metrics.registry
    await stop()
    return registry ? snapshotMetrics(registry) : []
  },
}

const primary = createParentChannel<PrimaryProcedures>(procedures)
const changes = createSharedChanges((announced) => primary.call('changes', announced))
const attempts = createSharedAttempts((noted) => primary.send('attempts', noted))

// The primary process has ended, so no other process will stop this one.
process.once('disconnect', () => {
  primary.close()
  void stop().finally(() => process.exit(0))
})

async function startHere(start: WorkerStart): Promise<StartedNode> {
  const { settings, dataDir, nodeId, instanceId, isLead, workers, ticketKeys } = start
  const log = createLog(settings)
  const workerEvents = createWorkerEvents(primary, { nodeId, clock: systemClock })
  events = workerEvents
  undo.push(() => {
    workerEvents.flush()
    attempts.stop()
  })
  const fetchJwks = createRemoteFetchJwks((request) => primary.call('fetch', request))
  const started = await startNode({
    settings,
    dataDir,
    nodeId,
    log,
    undo,
    events: workerEvents.hub,
    worker: {
      isLead,
      workers,
      instanceId,
      ticketKeys: Buffer.from(ticketKeys),
      attempts,
      changes,
      guesses: createRemoteGuesses(primary),
      fetchJwks,
      sendBatch: sendOver(primary),
    },
    // The primary process starts a replacement.
    onFatal: () => void stop().finally(() => process.exit(1)),
  })
  measureProcess(started.controller.metrics.registry)
  return started
}

/** Closes each connection after its next response. Resolves when all are closed, at the latest after `ms`. */
async function linger({ controller }: StartedNode, ms: number): Promise<void> {
  const { http } = controller
  http.drain()
  const deadline = performance.now() + ms
  const countConnections = (): Promise<number> =>
    new Promise((resolve) => http.server.getConnections((error, count) => resolve(error ? 0 : count)))
  while ((await countConnections()) > 0 && performance.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}
