import { newId } from '@countersign/core'
import { createEventHub } from '../events/event-hub.ts'
import { createEventWriters } from '../events/event-writers.ts'
import { startMetricsServer } from '../events/metrics/metrics-server.ts'
import { systemClock } from '../platform/clock.ts'
import { createLog } from '../platform/log/create-log.ts'
import type { Settings } from '../platform/settings/index.ts'
import { lockDataDir } from './data-dir.ts'
import type { FirstAdmin } from './first-admin.ts'
import { startDevelopment } from './start-development.ts'
import { baseUrlOf, type NodeOptions, type ServingNode, startNode, type Undo } from './start-node.ts'
import { startWorkers } from './workers/start-workers.ts'
import { workerCount } from './workers/worker-count.ts'

/** Where a started controller can be reached, and its first credentials. */
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
  /** Starts writing events to stdout, if the settings enable it. Call it when nothing else will be written to stdout. */
  startEventOutput(): void
  /** Replaces one worker after another without failing requests. Undefined without workers. */
  readonly restartWorkers: (() => Promise<void>) | undefined
  /** Finishes running requests and closes everything. */
  stop(): Promise<void>
  /** Resolves when the controller has stopped because of a fatal error. */
  readonly stopped: Promise<void>
}

type Started = Pick<RunningController, 'ready' | 'startEventOutput' | 'restartWorkers'>

/**
 * Starts a controller in this process or, if the settings ask for several, in worker processes that this one supervises. Throws
 * `StartupError` on failure, after undoing what was started.
 */
export async function startController(settings: Settings): Promise<RunningController> {
  const undo: Undo = []
  const stop = async (): Promise<void> => {
    for (const step of undo.splice(0).reverse()) await step()
  }
  const { promise: stopped, resolve: markStopped } = Promise.withResolvers<void>()
  const onFatal = (): void => void stop().finally(markStopped)
  try {
    return { ...(await start(settings, undo, onFatal)), stop, stopped }
  } catch (error) {
    await stop()
    throw error
  }
}

async function start(settings: Settings, undo: Undo, onFatal: () => void): Promise<Started> {
  const log = createLog(settings)
  const dataDir = lockDataDir(settings.dataDir)
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
  } = workers > 1 ? await startWorkers({ ...common, workers }) : await startSingleProcess(common)
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
    startEventOutput: writers.startOutput,
    restartWorkers,
  }
}

async function startSingleProcess(options: Omit<NodeOptions, 'events'>): Promise<ServingNode> {
  const { settings, undo, log } = options
  const events = createEventHub({ nodeId: options.nodeId, clock: systemClock })
  const writers = createEventWriters({ settings: settings.events, events, clock: systemClock, log })
  // Stopped after the controller, to write its last events.
  undo.push(writers.stop)
  const node = await startNode({ ...options, events })
  const { controller } = node
  await writers.startFile()
  const port = await node.listen(settings.port)
  const metrics = await startMetricsServer(settings.metrics, controller.metrics.registry)
  undo.push(() => metrics.close())
  const development = await startDevelopment(options)
  // Last, when nothing can fail: a generated password that is never shown would lock out the administrator.
  const admin = await node.ensureFirstAdmin()
  await development?.createDemoData({ store: node.store, sealing: node.sealing, port })
  const { identityProviderUrl } = development ?? {}
  return { writers, port, caFile: node.keys.caFile, metricsUrl: metrics.url, admin, identityProviderUrl }
}
