import { lookup } from 'node:dns/promises'
import { isIPv6 } from 'node:net'
import { newId, PASSWORD_COST, refuseKeys } from '@countersign/core'
import { type Logger, pino } from 'pino'
import type { EventHub } from '../events/event-hub.ts'
import type { EventWriters } from '../events/event-writers.ts'
import { WRITER_ENTRY } from '../operations/writer-entry.ts'
import { systemClock } from '../platform/clock.ts'
import { type KeyMaterial, type KeyMaterialOptions, loadKeyMaterial } from '../platform/keys/load-key-material.ts'
import { loadRefusedKeys } from '../platform/keys/load-refused-keys.ts'
import { loadSealing } from '../platform/keys/load-sealing.ts'
import type { Sealing } from '../platform/keys/sealing.ts'
import { watchServerCertificate } from '../platform/keys/watch-server-certificate.ts'
import type { Settings } from '../platform/settings/index.ts'
import { shrinkHeap } from '../platform/shrink-heap.ts'
import { StartupError } from '../platform/startup-error.ts'
import { openStore } from '../store/open-store.ts'
import { countForeignTotps } from '../store/reads/totp-reads.ts'
import type { Store } from '../store/store.ts'
import { type Controller, createController, type WorkerSeat } from './create-controller.ts'
import type { DataDir } from './data-dir.ts'
import { ensureFirstAdmin, type FirstAdmin } from './first-admin.ts'
import { shareAuthority } from './shared-authority.ts'

/** What this process holds for the node that runs in it. */
export interface NodeOptions {
  readonly settings: Settings
  readonly dataDir: Pick<DataDir, 'path' | 'databaseFile' | 'keysDir'>
  readonly nodeId: string
  readonly log: Logger
  /** Undoes what was begun, from the last to the first. */
  readonly undo: Undo
  readonly events: EventHub
  /** Where it is one of several processes. */
  readonly worker?: WorkerSeat & { readonly ticketKeys: Buffer }
  /** The store has broken in a way that only a restart mends. */
  onFatal(): void
}

/** A node that serves, whichever processes it is made of. */
export interface ServingNode {
  readonly writers: EventWriters
  readonly port: number
  readonly caFile: string
  readonly metricsUrl: string
  readonly admin: FirstAdmin
  readonly identityProviderUrl: string | undefined
  readonly restartWorkers?: () => Promise<void>
}

export type Undo = (() => Promise<void> | void)[]

/** A controller that has all its parts and does not listen yet. */
export interface StartedNode {
  readonly controller: Controller
  readonly keys: KeyMaterial
  readonly store: Store
  readonly sealing: Sealing
  /** Listens; answers the port. */
  listen(port: number): Promise<number>
  /** Looks for another server certificate now. */
  reloadKeys(): Promise<void>
  /** Makes the first administrator if there is none. */
  ensureFirstAdmin(): Promise<FirstAdmin>
}

const LOOPBACK = '127.0.0.1'
/** Requests in flight get this long before their connections are cut, which leaves time to close the store. */
const STOP_WITHIN_MS = 7_500
const IDLE_CHECK_MS = 50
const MAX_CONNECTIONS = 20
const MIN_CONNECTIONS = 4

/** A log that cannot be written, on a full disk for one, does not end the controller. */
export function createLog(settings: Pick<Settings, 'logLevel'>): Logger {
  return pino(
    { level: settings.logLevel },
    pino.destination({ dest: 2, sync: true }).on('error', () => {}),
  )
}

export function keyOptionsOf(settings: Settings, keysDir: string): KeyMaterialOptions {
  return {
    dir: keysDir,
    hosts: [settings.host, ...settings.advertise.map(hostOf)],
    now: () => new Date(systemClock.now()),
    configured: configuredFiles(settings.tls),
  }
}

/** Opens the store, loads the keys and puts a controller together. Throws `StartupError` when it cannot. */
export async function startNode(options: NodeOptions): Promise<StartedNode> {
  const { settings, dataDir, nodeId, log, undo, events, worker, onFatal } = options
  const clock = systemClock
  const { refusedKeysFile } = settings.keys
  refuseKeys(refusedKeysFile === null ? undefined : await loadRefusedKeys(refusedKeysFile))
  const keyOptions = keyOptionsOf(settings, dataDir.keysDir)
  const opening = openStore({
    database: settings.database,
    sqliteFile: dataDir.databaseFile,
    writer: WRITER_ENTRY,
    // Each process hears of the writes of all others.
    nodeId: worker ? newId() : nodeId,
    now: clock.now(),
    isShared: worker !== undefined,
    staleMs: settings.store.staleReadSeconds * 1000,
    maxConnections: worker && Math.max(MIN_CONNECTIONS, Math.ceil(MAX_CONNECTIONS / worker.workers)),
    onProblem: (message) => log.warn(message),
    onFatal: (error) => {
      log.fatal({ err: error }, 'the store cannot go on, the controller stops')
      onFatal()
    },
  }).then((opened) => {
    undo.push(() => opened.close())
    return opened
  })
  const loading = sharesAuthority(settings)
    ? opening.then(async (store) => {
        // The process that starts workers has done so for all.
        if (!worker) await takeSharedAuthority(store, options)
        return loadKeyMaterial(keyOptions)
      })
    : loadKeyMaterial(keyOptions)
  // Both to their end, whatever becomes of the other: a store that opens after a failure would never be closed.
  await Promise.allSettled([opening, loading])
  const [store, loadedKeys] = await Promise.all([opening, loading])
  let keys = loadedKeys
  const sealing = await loadSealing({ dir: dataDir.keysDir, configured: settings.sealingKey })
  if (worker?.isLead !== false) {
    for (const warning of keys.warnings) log.warn(warning)
    const foreign = await countForeignTotps(store.db, sealing.prefix)
    if (foreign > 0) {
      log.warn(
        `one-time codes of ${foreign} identities are sealed with another key than this node's ${sealing.keyId}: give every node the same sealingKey, or restore keys/sealing.key`,
      )
    }
  }

  let port = settings.port
  const controller = createController({
    store,
    clock,
    settings: worker ? shareOf(settings, worker.workers) : settings,
    log,
    sealing,
    events,
    ...(worker && { seat: worker }),
    tls: { ...keys.tls, ca: keys.clientCaPem, ...(worker && { ticketKeys: worker.ticketKeys }) },
    addresses: () => (settings.advertise.length > 0 ? settings.advertise : [`${urlHost(settings.host)}:${port}`]),
    caCertificates: () => Buffer.from(keys.caPkcs7Base64),
    serverIdentity: () => keys.serverIdentity,
    issuingKeys: () => keys,
  })
  undo.push(() => closeInTime(controller))

  const watch = watchServerCertificate({
    ...keyOptions,
    current: keys,
    onChange: (next) => {
      keys = next
      controller.http.server.setSecureContext({ ...next.tls, ca: next.clientCaPem, minVersion: 'TLSv1.2' })
      log.info({ notAfter: next.serverNotAfter }, 'the server certificate has changed')
    },
    onProblem: (message) => log.error(message),
    isOnDemand: worker !== undefined,
  })
  undo.push(watch.stop)

  let admin: Promise<FirstAdmin> | undefined
  const ensureAdmin = (): Promise<FirstAdmin> => {
    const { adminPassword } = settings
    admin ??= ensureFirstAdmin(store, { adminPassword, passwordCost: PASSWORD_COST, now: clock.now() })
    return admin
  }

  return {
    controller,
    keys,
    store,
    sealing,
    listen: async (wanted) => {
      // Who has set the password may sign in as soon as anything is answered. One that is made up is nobody's until it is shown.
      if (settings.adminPassword) await ensureAdmin()
      await controller.prepare()
      shrinkHeap()
      port = await listen(controller.http, settings.host, wanted)
      return port
    },
    reloadKeys: watch.check,
    ensureFirstAdmin: ensureAdmin,
  }
}

/** Nodes on one database have one CA when they all can open its key. */
export function sharesAuthority({ database, sealingKey }: Settings): boolean {
  return database !== 'sqlite' && sealingKey !== null
}

export async function takeSharedAuthority(
  store: Store,
  { settings, dataDir }: Pick<NodeOptions, 'settings' | 'dataDir'>,
): Promise<void> {
  const dir = dataDir.keysDir
  const sealing = await loadSealing({ dir, configured: settings.sealingKey })
  await shareAuthority({ store, sealing, dir, now: systemClock.now() })
}

/** Connections are handed to the workers in turn, so that each has its part of them. */
function shareOf(settings: Settings, workers: number): Settings {
  const { http } = settings
  return { ...settings, http: { ...http, maxConnections: Math.ceil(http.maxConnections / workers) } }
}

export function baseUrlOf({ host }: Pick<Settings, 'host'>, port: number): string {
  return `https://${urlHost(host)}:${port}`
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
