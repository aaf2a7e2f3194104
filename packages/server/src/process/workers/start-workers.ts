import { randomBytes, randomUUID } from 'node:crypto'
import { AppError } from '@countersign/core'
import { createEventHub } from '../../events/event-hub.ts'
import { createEventWriters } from '../../events/event-writers.ts'
import { createMetricsAggregator } from '../../events/metrics/metrics-aggregator.ts'
import { serveMetrics } from '../../events/metrics/metrics-server.ts'
import { sinkFolder } from '../../events/sinks/sink-file.ts'
import { createSharedJwksFetch } from '../../keyset/shared-jwks-fetch.ts'
import { LocalGuesses } from '../../limits/guesses.ts'
import { startWriter } from '../../operations/start-writer.ts'
import { createConditionalFetch } from '../../outbound/conditional-fetch.ts'
import { createFetchDocument } from '../../outbound/fetch-document.ts'
import { systemClock } from '../../platform/clock.ts'
import { loadKeyMaterial } from '../../platform/keys/load-key-material.ts'
import { loadSealing } from '../../platform/keys/load-sealing.ts'
import { watchServerCertificate } from '../../platform/keys/watch-server-certificate.ts'
import { loadNodeName } from '../../platform/node-name.ts'
import { settleWithin } from '../../platform/settle-within.ts'
import { openStore } from '../../store/open-store.ts'
import type { Store } from '../../store/store.ts'
import { withNode } from '../../store/with-node.ts'
import { serveSend } from '../delivery/send-over.ts'
import { createSender } from '../delivery/sender-handle.ts'
import { startDevelopment } from '../start-development.ts'
import {
  isSharedDatabase,
  keyOptionsOf,
  type NodeOptions,
  rollOver,
  type ServingNode,
  syncSharedAuthority,
} from '../start-node.ts'
import type { PrimaryProcedures, WorkerStart } from './protocol.ts'
import { serveGuesses } from './remote-guesses.ts'
import { createStreamRelay } from './stream-relay.ts'
import { superviseWorkers } from './supervise-workers.ts'
import { forkWorker, type WorkerHandle } from './worker-handle.ts'

const TICKET_KEY_BYTES = 48
const METRICS_TIMEOUT_MS = 2_000
/** A worker that does not respond for this long learns of changes as other nodes do. */
const CHANGES_TIMEOUT_MS = 1_000

/**
 * Starts a node with several worker processes behind one port. This process handles no requests: it distributes connections, holds the shared
 * state (limits, password guesses, the order of events, fetched keys), watches the certificate and replaces workers that end.
 */
export async function startWorkers(
  options: Omit<NodeOptions, 'events' | 'worker'> & { readonly workers: number },
): Promise<ServingNode> {
  const { settings, dataDir, nodeId, log, undo, onFatal, workers } = options
  const keyOptions = keyOptionsOf(settings, dataDir.keysDir)
  if (isSharedDatabase(settings)) await withStore(options, (store) => syncSharedAuthority(store, options))
  const rollOverNow = () =>
    isSharedDatabase(settings) ? withStore(options, (store) => rollOver(options, store)) : rollOver(options)
  await rollOverNow()
  const keys = await loadKeyMaterial(keyOptions)
  const sealing = await loadSealing({ dir: dataDir.keysDir, configured: settings.sealingKey })

  const events = createEventHub({ nodeId, clock: systemClock })
  const writers = createEventWriters({ settings: settings.events, events, clock: systemClock, log })
  undo.push(writers.stop)
  await writers.startFile()
  const streams = createStreamRelay(events, settings.events.maxStreams)
  const guesses = new LocalGuesses(systemClock)
  const fetch = createSharedJwksFetch(createConditionalFetch(createFetchDocument({ settings })), settings.jwks)
  const metrics = createMetricsAggregator()

  // One for all workers, so that only one process writes to the file of a sink.
  const sender = createSender({ settings, folder: sinkFolder(dataDir.path), log })
  undo.push(sender.stop)

  const fork = (): WorkerHandle => {
    const served = serveGuesses(guesses)
    const procedures: PrimaryProcedures = {
      ...served.procedures,
      fetch,
      sendBatch: serveSend(sender.send),
      attempts: (noted) => {
        for (const other of supervisor.running()) if (other !== handle) other.channel.send('attempts', noted)
      },
      changes: (changes) => {
        const others = supervisor.running().filter((other) => other !== handle)
        return settleWithin(
          CHANGES_TIMEOUT_MS,
          others.map(({ channel }) => channel.call('changes', changes)),
        )
      },
      publish: (published) => streams.publish(published),
      openStream: (holder) => streams.open(handle.channel, holder),
      closeStream: (holder) => streams.close(handle.channel, holder),
    }
    const handle = forkWorker(procedures)
    void handle.exited.then(() => {
      metrics.retire(handle)
      served.endAll()
      streams.drop(handle.channel)
    })
    return handle
  }
  const start: Omit<WorkerStart, 'isLead' | 'port'> = {
    settings,
    dataDir: { path: dataDir.path, databaseFile: dataDir.databaseFile, keysDir: dataDir.keysDir },
    nodeId,
    instanceId: randomUUID(),
    workers,
    ticketKeys: randomBytes(TICKET_KEY_BYTES),
  }
  const supervisor = superviseWorkers({
    workers,
    fork,
    start,
    port: settings.port,
    log,
    noteMetrics: metrics.note,
    onFatal,
  })
  undo.push(supervisor.stop)
  const port = await supervisor.startAll()

  const watch = watchServerCertificate({
    ...keyOptions,
    current: keys,
    onChange: () => {
      for (const { channel } of supervisor.running()) channel.send('reloadKeys', null)
    },
    onWarning: (message) => log.error(message),
    beforeReload: rollOverNow,
  })
  undo.push(watch.stop)

  const server = await serveMetrics(settings.metrics, async () => {
    const collecting = supervisor.running().map(async (handle) => {
      metrics.note(handle, await handle.channel.call('metrics', null))
    })
    await settleWithin(METRICS_TIMEOUT_MS, collecting)
    return metrics.gather()
  })
  undo.push(() => server.close())

  const development = await startDevelopment(options)
  // Last, when nothing can fail: a generated password that is never shown would lock out the administrator.
  const [lead] = supervisor.running()
  if (!lead) throw new AppError('STORE_UNAVAILABLE')
  const admin = await lead.channel.call('ensureFirstAdmin', null)
  if (development) await withStore(options, (store) => development.createDemoData({ store, sealing, port }))
  return {
    writers,
    port,
    caFile: keys.caFile,
    metricsUrl: server.url,
    admin,
    identityProviderUrl: development?.identityProviderUrl,
    restartWorkers: supervisor.restartAll,
  }
}

/** Opens a store only for `work`: this process has no permanent one. */
async function withStore(
  { settings, dataDir, nodeId, log, onFatal }: Omit<NodeOptions, 'events' | 'worker'>,
  work: (store: Store) => Promise<void>,
): Promise<void> {
  const store = await openStore({
    database: settings.database,
    sqliteFile: dataDir.databaseFile,
    startWriter,
    nodeId,
    now: systemClock.now(),
    isShared: true,
    onWarning: (message) => log.warn(message),
    onFatal,
  })
  await work(withNode(store, loadNodeName(dataDir.path))).finally(() => store.close())
}
