import { newId } from '@countersign/core'
import { createEventHub } from '../events/event-hub.ts'
import { createEventWriters } from '../events/event-writers.ts'
import { startMetricsServer } from '../events/metrics/metrics-server.ts'
import { systemClock } from '../platform/clock.ts'
import type { Settings } from '../platform/settings/index.ts'
import { takeDataDir } from './data-dir.ts'
import type { FirstAdmin } from './first-admin.ts'
import { startDevelopment } from './start-development.ts'
import { baseUrlOf, createLog, type NodeOptions, type ServingNode, startNode, type Undo } from './start-node.ts'
import { startWorkers } from './workers/start-workers.ts'
import { workerCount } from './workers/worker-count.ts'

/** What a program that starts a controller needs to know about it. */
export interface ReadyReport {
  readonly baseUrl: string
  readonly caFile: string
  readonly dataDir: string
  readonly pid: number
  readonly admin: FirstAdmin
  readonly hostedBaseUrl: string
  readonly consoleUrl: string
  readonly metricsUrl: string
  readonly identityProviderUrl: string | null
}

export interface RunningController {
  readonly ready: ReadyReport
  /** Begins to write events to stdout, where the settings say so: to be called when nothing else is written there any more. */
  tellEvents(): void
  /** Replaces one worker after the other, with nobody's call failing; undefined where there are none. */
  readonly restartWorkers: (() => Promise<void>) | undefined
  /** Finishes what is under way and closes everything. */
  stop(): Promise<void>
  /** Resolves when the controller has ended because it cannot go on. */
  readonly stopped: Promise<void>
}

/** What starting makes, beside what undoes it. */
type Started = Pick<RunningController, 'ready' | 'tellEvents' | 'restartWorkers'>

/**
 * Starts the whole product, in this process or, where the settings want several, in processes that this one looks after. Throws
 * `StartupError` when it cannot, leaving nothing behind.
 */
export async function startController(settings: Settings): Promise<RunningController> {
  const undo: Undo = []
  const stop = async (): Promise<void> => {
    for (const step of undo.splice(0).reverse()) await step()
  }
  const { promise: stopped, resolve: endItself } = Promise.withResolvers<void>()
  const onFatal = (): void => void stop().finally(endItself)
  try {
    return { ...(await start(settings, undo, onFatal)), stop, stopped }
  } catch (error) {
    await stop()
    throw error
  }
}

async function start(settings: Settings, undo: Undo, onFatal: () => void): Promise<Started> {
  const log = createLog(settings)
  const dataDir = takeDataDir(settings.dataDir)
  undo.push(dataDir.release)
  const nodeId = newId()
  const workers = workerCount(settings.workers)
  const common = { settings, dataDir, nodeId, log, undo, onFatal }
  const {
    port,
    caFile,
    metricsUrl,
    admin,
    writers,
    identityProviderUrl = null,
    restartWorkers,
  } = workers > 1 ? await startWorkers({ ...common, workers }) : await startAlone(common)
  const baseUrl = baseUrlOf(settings, port)
  return {
    ready: {
      baseUrl,
      caFile,
      dataDir: dataDir.path,
      pid: process.pid,
      admin,
      hostedBaseUrl: baseUrl,
      consoleUrl: `${baseUrl}/console/`,
      metricsUrl,
      identityProviderUrl,
    },
    tellEvents: writers.startOutput,
    restartWorkers,
  }
}

async function startAlone(options: Omit<NodeOptions, 'events'>): Promise<ServingNode> {
  const { settings, undo, log } = options
  const events = createEventHub({ nodeId: options.nodeId, clock: systemClock })
  const writers = createEventWriters({ settings: settings.events, events, clock: systemClock, log })
  // Stopped after the controller, whose end they tell too.
  undo.push(writers.stop)
  const node = await startNode({ ...options, events })
  const { controller } = node
  await writers.startFile()
  const port = await node.listen(settings.port)
  const metrics = await startMetricsServer(settings.metrics.port, controller.metrics.registry)
  undo.push(() => metrics.close())
  const development = await startDevelopment(options)
  // Last, when nothing can fail any more: a password that was made but never shown would lock everybody out.
  const admin = await node.ensureFirstAdmin()
  await development?.makeDemoData({ store: node.store, sealing: node.sealing, port })
  const { identityProviderUrl } = development ?? {}
  return { writers, port, caFile: node.keys.caFile, metricsUrl: metrics.url, admin, identityProviderUrl }
}
