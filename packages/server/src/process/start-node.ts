import { lookup } from 'node:dns/promises'
import { isIPv6 } from 'node:net'
import { newId, PASSWORD_COST, refuseKeys } from '@countersign/core'
import type { Logger } from 'pino'
import type { EventHub } from '../events/event-hub.ts'
import type { EventWriters } from '../events/event-writers.ts'
import { sinkFolder } from '../events/sinks/sink-file.ts'
import { TLS_PROTOCOL } from '../http/pipeline/listener.ts'
import { startWriter } from '../operations/start-writer.ts'
import { systemClock } from '../platform/clock.ts'
import type { RolloverPlan } from '../platform/keys/intermediates.ts'
import { KEY_FILES } from '../platform/keys/key-directory.ts'
import { type KeyMaterial, type KeyMaterialOptions, loadKeyMaterial } from '../platform/keys/load-key-material.ts'
import { loadRefusedKeys } from '../platform/keys/load-refused-keys.ts'
import { loadSealing } from '../platform/keys/load-sealing.ts'
import type { Sealing } from '../platform/keys/sealing.ts'
import { watchServerCertificate } from '../platform/keys/watch-server-certificate.ts'
import { loadNodeName } from '../platform/node-name.ts'
import { certificateHosts } from '../platform/own-addresses.ts'
import type { Settings } from '../platform/settings/index.ts'
import { shrinkHeap } from '../platform/shrink-heap.ts'
import { StartupError } from '../platform/startup-error.ts'
import type { ChangeSharing } from '../store/change-sharing.ts'
import { openStore } from '../store/open-store.ts'
import type { Store } from '../store/store.ts'
import { withNode } from '../store/with-node.ts'
import { checkSealedValues, checkSharedSealingKey } from './check-sealing-key.ts'
import { type Controller, createController, type WorkerContext } from './create-controller.ts'
import type { DataDir } from './data-dir.ts'
import { createSender } from './delivery/sender-handle.ts'
import { ensureFirstAdmin, type FirstAdmin } from './first-admin.ts'
import { followClientCas } from './follow-client-cas.ts'
import { leaveDevelopment } from './leave-development.ts'
import { rollOverCa } from './roll-over-ca.ts'
import { findAuthority, shareAuthority } from './shared-authority.ts'
import { warnOfPasskeyDomains } from './warn-of-passkey-domains.ts'

export interface NodeOptions {
  readonly settings: Settings
  readonly dataDir: Pick<DataDir, 'path' | 'databaseFile' | 'keysDir'>
  readonly nodeId: string
  readonly log: Logger
  /** Steps that undo the start, run in reverse order. */
  readonly undo: Undo
  readonly events: EventHub
  /** Set when this is one of several processes of the node. */
  readonly worker?: WorkerContext & { readonly ticketKeys: Buffer; readonly changes: ChangeSharing }
  /** Called when the store failed and only a restart can repair it. */
  onFatal(): void
}

/** A running node, with one or several processes. */
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

/** A complete controller that does not listen yet. */
export interface StartedNode {
  readonly controller: Controller
  readonly keys: KeyMaterial
  readonly store: Store
  readonly sealing: Sealing
  /** Starts listening. Returns the port. */
  listen(port: number): Promise<number>
  /** Checks now for a changed server certificate. */
  reloadKeys(): Promise<void>
  /** Creates the first administrator if there is none. */
  ensureFirstAdmin(): Promise<FirstAdmin>
}

const LOOPBACK = '127.0.0.1'
/** Running requests get this long before their connections are closed, which leaves time to close the store. */
const STOP_TIMEOUT_MS = 7_500
const IDLE_CHECK_MS = 50
const MAX_CONNECTIONS = 20
const MIN_CONNECTIONS = 4

export function keyOptionsOf(settings: Settings, keysDir: string): KeyMaterialOptions {
  return {
    dir: keysDir,
    hosts: [settings.host, ...settings.advertise.map(hostOf)],
    now: () => new Date(systemClock.now()),
    configured: configuredFiles(settings.tls),
    plan: rolloverPlanOf(settings),
  }
}

export function rolloverPlanOf({ certificates }: Settings): RolloverPlan {
  const { caRolloverDays: rolloverDays, caOverlapDays: overlapDays, clientDays } = certificates
  return { rolloverDays, overlapDays, clientDays }
}

/** Creates the next intermediate CA when it is due, and takes those of other nodes. Call it before the keys are loaded. */
export async function rollOver(
  { settings, dataDir: { keysDir: dir }, log }: Pick<NodeOptions, 'settings' | 'dataDir' | 'log'>,
  store?: Store,
): Promise<void> {
  const { sealingKey: configured } = settings
  const isShared = store !== undefined && isSharedDatabase(settings) && configured !== null
  const shared = isShared ? { store, sealing: await loadSealing({ dir, configured }) } : undefined
  const now = new Date(systemClock.now())
  const { isRootKeyMissing } = await rollOverCa({ dir, plan: rolloverPlanOf(settings), now, shared })
  if (isRootKeyMissing) {
    log.warn(`a new intermediate CA is due, and ${KEY_FILES.rootKey} is not in ${dir}: see docs/operations.md`)
  }
}

/** Opens the store, loads the keys and creates a controller. Throws `StartupError` on failure. */
export async function startNode(options: NodeOptions): Promise<StartedNode> {
  const { settings, dataDir, nodeId, log, undo, events, worker, onFatal } = options
  const clock = systemClock
  const { refusedKeysFile } = settings.keys
  refuseKeys(refusedKeysFile === null ? undefined : await loadRefusedKeys(refusedKeysFile))
  const keyOptions = keyOptionsOf(settings, dataDir.keysDir)
  const opening = openStore({
    database: settings.database,
    sqliteFile: dataDir.databaseFile,
    startWriter,
    // A separate id per process, so that each is notified of the writes of all others.
    nodeId: worker ? newId() : nodeId,
    now: clock.now(),
    isShared: worker !== undefined,
    sharing: worker?.changes,
    staleMs: settings.store.staleReadSeconds * 1000,
    maxConnections: worker && Math.max(MIN_CONNECTIONS, Math.ceil(MAX_CONNECTIONS / worker.workers)),
    onWarning: (message) => log.warn(message),
    onFatal: (error) => {
      log.fatal({ err: error }, 'the store has failed, the controller stops')
      onFatal()
    },
  }).then((opened) => {
    undo.push(() => opened.close())
    return opened
  })
  const loading = isSharedDatabase(settings)
    ? opening.then(async (store) => {
        // The process that starts the workers has done this for all of them.
        if (!worker) {
          await syncSharedAuthority(store, options)
          await rollOver(options, store)
        }
        return loadKeyMaterial(keyOptions)
      })
    : (worker ? Promise.resolve() : rollOver(options)).then(() => loadKeyMaterial(keyOptions))
  // Waits for both even when one fails: a store that opens after the failure would never be closed.
  await Promise.allSettled([opening, loading])
  const [opened, loadedKeys] = await Promise.all([opening, loading])
  const nodeName = loadNodeName(dataDir.path)
  const store = withNode(opened, nodeName)
  let keys = loadedKeys
  const sealing = await loadSealing({ dir: dataDir.keysDir, configured: settings.sealingKey })
  if (worker?.isLead !== false) {
    await checkSealedValues(store, sealing)
    if (!settings.dev) await leaveDevelopment(store, log)
    for (const warning of keys.warnings) log.warn(warning)
    const certificateNames = [...certificateHosts(keys.serverIdentity.certificatePem)]
    await warnOfPasskeyDomains(store, { settings, certificateNames }, log)
  }

  const sender = worker ? undefined : createSender({ settings, folder: sinkFolder(dataDir.path), log })
  undo.push(() => sender?.stop())

  let port = settings.port
  const controller = createController({
    store,
    clock,
    settings: worker ? shareOf(settings, worker.workers) : settings,
    log,
    sealing,
    events,
    ...(worker && { worker }),
    tls: { ...keys.tls, ca: keys.clientCaPem, ...(worker && { ticketKeys: worker.ticketKeys }) },
    addresses: () => (settings.advertise.length > 0 ? settings.advertise : [`${urlHost(settings.host)}:${port}`]),
    caCertificates: () => Buffer.from(keys.caPkcs7Base64),
    serverIdentity: () => keys.serverIdentity,
    issuingKeys: () => keys,
    dataDir: dataDir.path,
    nodeName,
    sendBatch: sender?.send ?? worker?.sendBatch,
  })
  undo.push(() => closeWithTimeout(controller))

  let thirdPartyCas: readonly string[] = []
  const useTls = () => {
    controller.http.server.setSecureContext({
      ...keys.tls,
      ca: [keys.clientCaPem, ...thirdPartyCas],
      ...TLS_PROTOCOL,
      ...(worker && { ticketKeys: worker.ticketKeys }),
    })
  }
  const nameThirdPartyCas = followClientCas({
    store,
    log,
    apply: (pems) => {
      if (pems.length === 0 && thirdPartyCas.length === 0) return
      const before = thirdPartyCas
      thirdPartyCas = pems
      try {
        useTls()
      } catch (error) {
        // They must not prevent a later change of the server certificate.
        thirdPartyCas = before
        throw error
      }
    },
  })

  const watch = watchServerCertificate({
    ...keyOptions,
    current: keys,
    onChange: (next) => {
      keys = next
      useTls()
      log.info({ notAfter: next.serverNotAfter }, 'the server certificate has changed')
    },
    onWarning: (message) => log.error(message),
    isOnDemand: worker !== undefined,
    // The process that starts the workers does this for all of them.
    ...(!worker && { beforeReload: () => rollOver(options, store) }),
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
      // With a configured password the administrator can log in from the first response on. A generated password is created when it is shown.
      if (settings.adminPassword) await ensureAdmin()
      await Promise.all([controller.prepare(), nameThirdPartyCas()])
      shrinkHeap()
      port = await listen(controller.http, settings.host, wanted)
      return port
    },
    reloadKeys: watch.check,
    ensureFirstAdmin: ensureAdmin,
  }
}

/** Whether several nodes can use the database. */
export function isSharedDatabase({ database }: Pick<Settings, 'database'>): boolean {
  return database !== 'sqlite'
}

/**
 * Gives nodes with a sealing key the CA that they share. Call it before the keys are loaded, since a refused node must not create its own.
 * Throws StartupError when this node's sealing key is missing or is not that of the other nodes.
 */
export async function syncSharedAuthority(
  store: Store,
  { settings: { sealingKey: configured }, dataDir: { keysDir: dir } }: Pick<NodeOptions, 'settings' | 'dataDir'>,
): Promise<void> {
  const sealing = configured === null ? undefined : await loadSealing({ dir, configured })
  const stored = await findAuthority(store)
  if (stored) checkSharedSealingKey(stored.sealedKey, sealing)
  if (sealing) await shareAuthority({ store, sealing, dir, now: systemClock.now() })
}

/** Divides the connection limits by the number of workers, which get connections round-robin. */
function shareOf(settings: Settings, workers: number): Settings {
  const { http } = settings
  const share = (connections: number): number => Math.ceil(connections / workers)
  const maxConnections = share(http.maxConnections)
  const maxConnectionsPerAddress = share(http.maxConnectionsPerAddress)
  return { ...settings, http: { ...http, maxConnections, maxConnectionsPerAddress } }
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
    // For `localhost`, Fastify creates additional servers, which have neither our limits nor new certificates.
    await http.listen({ host: host === 'localhost' ? (await lookup(host)).address : host, port })
  } catch (error) {
    throw listenError(error, host, port)
  }
  return (http.server.address() as { port: number }).port
}

export function listenError(error: unknown, host: string, port: number): unknown {
  const { code } = error as { code?: string }
  const reason = code === undefined ? undefined : LISTEN_ERRORS[code]
  if (!reason) return error
  return new StartupError(`cannot listen on ${host} port ${port}: ${reason.what}`, reason.hint, { cause: error })
}

const LISTEN_ERRORS: Readonly<Record<string, { what: string; hint: string }>> = {
  EADDRINUSE: { what: 'the port is taken', hint: 'stop the program that uses it, or choose another port with --port' },
  EACCES: { what: 'permission denied', hint: 'choose a port above 1023 with --port' },
  EADDRNOTAVAIL: { what: 'this machine does not have that address', hint: 'choose another with --host' },
  ENOTFOUND: { what: 'the host name cannot be resolved', hint: 'choose another with --host' },
}

async function closeWithTimeout(controller: Controller): Promise<void> {
  const { server } = controller.http
  const closeAll = setTimeout(() => server.closeAllConnections(), STOP_TIMEOUT_MS)
  // After its request, a connection stays open for the next one, which would never get a response.
  const closeIdle = setInterval(() => server.closeIdleConnections(), IDLE_CHECK_MS)
  try {
    await controller.close()
  } finally {
    clearTimeout(closeAll)
    clearInterval(closeIdle)
  }
}

function configuredFiles({ certFile, keyFile, caFile }: Settings['tls']) {
  return certFile && keyFile && caFile ? { certFile, keyFile, caFile } : undefined
}

/** The host of `host:port`, for the server certificate. */
function hostOf(address: string): string {
  return new URL(`https://${address}`).hostname
}

/** The host for URLs on this machine. A listener on all addresses is reached through loopback. */
function urlHost(host: string): string {
  if (host === '0.0.0.0') return LOOPBACK
  if (host === '::') return '[::1]'
  return isIPv6(host) ? `[${host}]` : host
}
