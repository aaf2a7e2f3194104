import { lookup } from 'node:dns/promises'
import { isIPv6 } from 'node:net'
import { join } from 'node:path'
import { newId, PASSWORD_COST, refuseKeys } from '@countersign/core'
import { pino } from 'pino'
import { systemClock } from './clock.ts'
import { SETTINGS, type Settings } from './config/settings.ts'
import { type Controller, createController } from './create-controller.ts'
import { takeDataDir } from './data-dir.ts'
import { startEventFile } from './events/event-file.ts'
import { startEventOutput } from './events/event-output.ts'
import type { EventWriter } from './events/write-events.ts'
import { ensureFirstAdmin, type FirstAdmin } from './first-admin.ts'
import { loadKeyMaterial } from './keys/load-key-material.ts'
import { loadRefusedKeys } from './keys/load-refused-keys.ts'
import { loadSealing } from './keys/load-sealing.ts'
import { watchServerCertificate } from './keys/watch-server-certificate.ts'
import { StartupError } from './startup-error.ts'
import { openStore } from './store/open-store.ts'
import { countForeignTotps } from './store/reads/totp-reads.ts'
import { startMetricsServer } from './telemetry/metrics-server.ts'

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
  /** Finishes what is under way and closes everything. */
  stop(): Promise<void>
  /** Resolves when the controller has ended because it cannot go on. */
  readonly stopped: Promise<void>
}

const LOOPBACK = '127.0.0.1'
/** Requests in flight get this long before their connections are cut, which leaves time to close the store. */
const STOP_WITHIN_MS = 8_000
const IDLE_CHECK_MS = 50
const USUAL_PROVIDER_PORT = 1282

/** Starts the whole product in this process. Throws `StartupError` when it cannot, leaving nothing behind. */
export async function startController(settings: Settings): Promise<RunningController> {
  const undo: (() => Promise<void> | void)[] = []
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

async function start(
  settings: Settings,
  undo: (() => Promise<void> | void)[],
  onFatal: () => void,
): Promise<Pick<RunningController, 'ready' | 'tellEvents'>> {
  const clock = systemClock
  // A log that cannot be written, on a full disk for one, must not end the controller.
  const log = pino(
    { level: settings.logLevel },
    pino.destination({ dest: 2, sync: true }).on('error', () => {}),
  )
  const { refusedKeysFile } = settings.keys
  refuseKeys(refusedKeysFile === null ? undefined : await loadRefusedKeys(refusedKeysFile))
  const dataDir = takeDataDir(settings.dataDir)
  undo.push(dataDir.release)
  const development = settings.dev ? import('./dev/index.ts') : undefined

  const keyOptions = {
    dir: dataDir.keysDir,
    hosts: [settings.host, ...settings.advertise.map(hostOf)],
    now: () => new Date(clock.now()),
    configured: configuredFiles(settings.tls),
  }
  const nodeId = newId()
  const opening = openStore({
    database: settings.database,
    sqliteFile: dataDir.databaseFile,
    nodeId,
    now: clock.now(),
    onProblem: (message) => log.warn(message),
    onFatal: (error) => {
      log.fatal({ err: error }, 'the store cannot go on, the controller stops')
      onFatal()
    },
  }).then((opened) => {
    undo.push(() => opened.close())
    return opened
  })
  const loading = loadKeyMaterial(keyOptions)
  // Both to their end, whatever becomes of the other: a store that opens after a failure would never be closed.
  await Promise.allSettled([opening, loading])
  const [store, loadedKeys] = await Promise.all([opening, loading])
  let keys = loadedKeys
  for (const warning of keys.warnings) log.warn(warning)
  const sealing = await loadSealing({ dir: dataDir.keysDir, configured: settings.sealingKey })

  const provider = await (await development)?.startLocalProvider({
    stateFile: join(dataDir.keysDir, 'local-provider.json'),
    port: settings.identityProvider.port,
    usualPort: settings.port === SETTINGS.port.default ? USUAL_PROVIDER_PORT : 0,
    log,
  })
  if (provider) undo.push(() => provider.close())

  const foreign = await countForeignTotps(store.db, sealing.prefix)
  if (foreign > 0) {
    log.warn(
      `one-time codes of ${foreign} identities are sealed with another key than this node's ${sealing.keyId}: give every node the same sealingKey, or restore keys/sealing.key`,
    )
  }

  let port = settings.port
  const controller = createController({
    store,
    clock,
    settings,
    log,
    sealing,
    nodeId,
    tls: { ...keys.tls, ca: keys.clientCaPem },
    addresses: () => (settings.advertise.length > 0 ? settings.advertise : [`${urlHost(settings.host)}:${port}`]),
    caCertificates: () => Buffer.from(keys.caPkcs7Base64),
    serverIdentity: () => keys.serverIdentity,
    issuingKeys: () => keys,
  })
  const { events } = controller
  const writers: EventWriter[] = []
  // After the controller, whose end they tell too.
  undo.push(async () => void (await Promise.all(writers.map((writer) => writer.stop()))))
  undo.push(() => closeInTime(controller))
  const { file, maxFileBytes: maxBytes, keepFiles } = settings.events
  if (file !== null) writers.push(await startEventFile({ events, clock, log, path: file, maxBytes, keepFiles }))

  const watch = watchServerCertificate({
    ...keyOptions,
    current: keys,
    onChange: (next) => {
      keys = next
      controller.http.server.setSecureContext({ ...next.tls, ca: next.clientCaPem, minVersion: 'TLSv1.2' })
      log.info({ notAfter: next.serverNotAfter }, 'the server certificate has changed')
    },
    onProblem: (message) => log.error(message),
  })
  undo.push(watch.stop)

  port = await listen(controller.http, settings.host, settings.port)
  const metrics = await startMetricsServer(settings.metrics.port, controller.metrics.registry)
  undo.push(() => metrics.close())

  // Last, when nothing can fail any more: a password that was made but never shown would lock everybody out.
  const { adminPassword } = settings
  const admin = await ensureFirstAdmin(store, { adminPassword, passwordCost: PASSWORD_COST, now: clock.now() })

  const baseUrl = `https://${urlHost(settings.host)}:${port}`
  if (development && provider) {
    const { apiAccounts } = controller
    const parts = { provider, store, clock, sealing, apiAccounts, dataDir: dataDir.path, hostedAudience: `${baseUrl}/` }
    // The controller is as good without it, and its first password must be shown.
    await (await development).ensureDemoData(parts).catch((error: unknown) => {
      log.error({ err: error }, 'the demo data could not be made')
    })
  }
  return {
    ready: {
      baseUrl,
      caFile: keys.caFile,
      dataDir: dataDir.path,
      pid: process.pid,
      admin,
      hostedBaseUrl: baseUrl,
      consoleUrl: `${baseUrl}/console/`,
      metricsUrl: metrics.url,
      identityProviderUrl: provider?.addresses.base ?? null,
    },
    tellEvents: () => {
      if (settings.events.stdout) writers.push(startEventOutput(events, clock, process.stdout))
    },
  }
}

async function listen(
  http: { listen(options: { host: string; port: number }): Promise<string>; server: { address(): unknown } },
  host: string,
  port: number,
): Promise<number> {
  try {
    // Fastify makes further servers for the addresses of `localhost`, which know neither our limits nor new certificates.
    await http.listen({ host: host === 'localhost' ? (await lookup(host)).address : host, port })
  } catch (error) {
    throw listenProblem(error, host, port)
  }
  return (http.server.address() as { port: number }).port
}

export function listenProblem(error: unknown, host: string, port: number): unknown {
  const { code } = error as { code?: string }
  const reason = code === undefined ? undefined : LISTEN_PROBLEMS[code]
  if (!reason) return error
  return new StartupError(`cannot listen on ${host} port ${port}: ${reason.what}`, reason.hint, { cause: error })
}

const LISTEN_PROBLEMS: Readonly<Record<string, { what: string; hint: string }>> = {
  EADDRINUSE: { what: 'the port is taken', hint: 'stop the program that uses it, or choose another with --port' },
  EACCES: { what: 'permission denied', hint: 'choose a port above 1023 with --port' },
  EADDRNOTAVAIL: { what: 'this machine does not have that address', hint: 'choose another with --host' },
  ENOTFOUND: { what: 'the host name is not known', hint: 'choose another with --host' },
}

async function closeInTime(controller: Controller): Promise<void> {
  const { server } = controller.http
  const cut = setTimeout(() => server.closeAllConnections(), STOP_WITHIN_MS)
  // A connection whose request was in flight is kept for a next one, which would never be answered.
  const closeIdle = setInterval(() => server.closeIdleConnections(), IDLE_CHECK_MS)
  try {
    await controller.close()
  } finally {
    clearTimeout(cut)
    clearInterval(closeIdle)
  }
}

function configuredFiles({ certFile, keyFile, caFile }: Settings['tls']) {
  return certFile && keyFile && caFile ? { certFile, keyFile, caFile } : undefined
}

/** The part of `host:port` that goes into a certificate. */
function hostOf(address: string): string {
  return new URL(`https://${address}`).hostname
}

/** What to write for the host in a URL on this machine: a listener on every address is reached through loopback. */
function urlHost(host: string): string {
  if (host === '0.0.0.0') return LOOPBACK
  if (host === '::') return '[::1]'
  return isIPv6(host) ? `[${host}]` : host
}
