import { randomUUID, X509Certificate } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { buildExtension, der, formatPem, newId, OID, type PasswordCost } from '@countersign/core'
import { makeTestCertificate } from '@countersign/testkit'
import { pino } from 'pino'
import { createEventHub, type EventHub, type SharedEventHub } from '../../src/events/event-hub.ts'
import type { AttemptSharing } from '../../src/limits/attempt-sharing.ts'
import { LocalGuesses } from '../../src/limits/guesses.ts'
import type { FetchJwks } from '../../src/outbound/jwks-fetch.ts'
import { OutboundError } from '../../src/outbound/outbound-error.ts'
import type { Clock } from '../../src/platform/clock.ts'
import { createSealing } from '../../src/platform/keys/sealing.ts'
import { buildServerIdentity } from '../../src/platform/keys/server-identity.ts'
import type { Settings } from '../../src/platform/settings/index.ts'
import { createController, type WorkerContext } from '../../src/process/create-controller.ts'
import { openStore } from '../../src/store/open-store.ts'
import type { StartWriter } from '../../src/store/sqlite/writer-options.ts'
import type { Store } from '../../src/store/store.ts'
import { getTestAuthority, type TestAuthority } from '../platform/keys/test-authority.ts'
import { writeMigratedFile } from '../store/migrated-file.ts'
import { startTestWriter, startThreadWriter } from '../store/test-writer.ts'
import { newPostgresDatabase } from './test-postgres.ts'

/** Cheap on purpose: these tests are not about the cost of guessing. */
export const TEST_PASSWORD_COST: PasswordCost = { logN: 4, r: 8, p: 1 }
/** Shared, since nodes on one database must have the same key. */
export const TEST_SEALING_KEY = Buffer.alloc(32, 7)

type Database = 'sqlite' | 'postgres' | `postgres${string}:${string}`

interface Deployment {
  readonly database: Database
  readonly controllers: 1 | 2
}

/** By the names of `npm test -- --deployment NAME`. The controllers on the embedded database are workers of one node. */
const DEPLOYMENTS: Readonly<Record<string, Deployment>> = {
  embedded: { database: 'sqlite', controllers: 1 },
  workers: { database: 'sqlite', controllers: 2 },
  postgres: { database: 'postgres', controllers: 1 },
  nodes: { database: 'postgres', controllers: 2 },
}

/** How long a node may take to receive the changes of another; D13 allows a second. */
const MAX_LAG_MS = 1_000

export interface TestNodeOptions {
  /** One node on a new database, or on the URL of one that another controller uses too. The deployment of the run unless given. */
  readonly database?: Database
  /** The deployment of this test, whatever that of the run is. */
  readonly deployment?: 'workers'
  /** One node, or one controller, on every deployment: for tests of state that each keeps in its memory. */
  readonly isAlone?: 'node' | 'controller'
  /** A writer thread on the embedded database: for tests that watch the statements of this one. */
  readonly hasWriterThread?: true
  /** Fetches key sets. By default a fetch never resolves, since tests stay off the network. */
  readonly fetchJwks?: FetchJwks
  /** The client CA; by default the one of the test file. */
  readonly keys?: () => TestAuthority
  readonly sealingKey?: Buffer
  /** host:port pairs of the controller; by default one. */
  readonly addresses?: readonly string[]
  /** The folder of the built console; without one the console counts as not built. */
  readonly consoleFolder?: string
}

interface StartOptions extends TestNodeOptions {
  readonly dir: string
  readonly clock: Clock
  readonly settings: Settings
  readonly logged: string[]
}

export interface TestNode {
  readonly store: Store
  readonly controller: ReturnType<typeof createController>
}

export interface TestNodes {
  readonly all: readonly [TestNode, ...TestNode[]]
  /** The events of all nodes, in the order of their publication. */
  readonly events: EventHub
  /** Resolves to the nodes in turn, each when it has received the changes of the others. */
  next(): Promise<TestNode>
  /** Stops all nodes and starts them again on the same database. */
  restart(): Promise<void>
  close(): Promise<void>
}

/** A name of the controllers in their certificate, for what needs one. */
export const CONTROLLER_NAME = 'controller.example.com'
const altNames = der.sequence(der.implicitTag(2, Buffer.from(CONTROLLER_NAME)))
const serverCertificate = makeTestCertificate({
  kind: 'ec256',
  commonName: 'localhost',
  extensions: [buildExtension(OID.subjectAltName, altNames)],
})

/** The server identity of the controller under test. */
export const serverIdentity = buildServerIdentity(
  new X509Certificate(serverCertificate.pem),
  serverCertificate.privateKey,
)

/** Starts the controllers of a deployment on one database. */
export async function startTestNodes(options: StartOptions): Promise<TestNodes> {
  const { database: requested, controllers: count } = chooseDeployment(options)
  const database = requested === 'postgres' ? await newPostgresDatabase() : requested
  const isShared = database === 'sqlite' && count > 1
  const sqliteFile = join(options.dir, 'test.db')
  if (database === 'sqlite') await writeMigratedFile(sqliteFile)
  const changes = new ChangeCounter()
  const events = createEventHub({ nodeId: newId(), clock: options.clock })
  const startNode = async (workers?: TestWorkers): Promise<TestNode> => {
    const startWriter = options.hasWriterThread ? startThreadWriter : startTestWriter
    const store = await openTestStore({ database, sqliteFile, isShared, startWriter, now: options.clock.now() })
    if (count > 1 && !isShared) changes.follow(store)
    const shared = workers ? { events, worker: workers.next() } : { events: createNodeEvents(options.clock, events) }
    return { store, controller: await createTestController({ ...options, ...shared }, store) }
  }
  const startAll = async (): Promise<TestNodes['all']> => {
    const workers = isShared ? new TestWorkers(options.clock, count) : undefined
    const first = await startNode(workers)
    return count === 1 ? [first] : [first, await startNode(workers)]
  }
  let all = await startAll()
  const close = async () => {
    for (const { controller, store } of all) {
      await controller.close()
      await store.close()
    }
  }
  let turn = 0
  return {
    get all() {
      return all
    },
    events,
    next: async () => {
      const node = all[turn++ % count] ?? all[0]
      await changes.settle(node.store)
      return node
    },
    restart: async () => {
      await close()
      all = await startAll()
    },
    close,
  }
}

function chooseDeployment({ database, deployment: name, isAlone }: TestNodeOptions): Deployment {
  if (database) return { database, controllers: 1 }
  const deployment = DEPLOYMENTS[name ?? process.env.TEST_DEPLOYMENT ?? 'embedded']
  if (!deployment) throw new Error(`TEST_DEPLOYMENT must be one of ${Object.keys(DEPLOYMENTS).join(', ')}`)
  const isReduced = isAlone === 'controller' || (isAlone === 'node' && deployment.database === 'postgres')
  return isReduced ? { ...deployment, controllers: 1 } : deployment
}

function openTestStore(options: {
  database: string
  sqliteFile: string
  isShared: boolean
  startWriter: StartWriter
  now: number
}): Promise<Store> {
  return openStore({
    nodeId: newId(),
    ...options,
    onWarning: () => {},
    onFatal: (error) => {
      throw error
    },
  })
}

/** The events of one node, which are also published in `all`. */
function createNodeEvents(clock: Clock, all: SharedEventHub): EventHub {
  const hub = createEventHub({
    nodeId: newId(),
    clock,
    forward: (event) => {
      for (const published of [hub, all]) published.publishForwarded([event])
    },
  })
  return hub
}

/** What the primary process shares between its workers, without its delays. */
class TestWorkers {
  readonly #context: Omit<WorkerContext, 'isLead' | 'attempts'>
  readonly #listeners: { readonly limit: string; readonly worker: number; apply(key: string, count: number): void }[] =
    []
  #started = 0

  constructor(clock: Clock, workers: number) {
    this.#context = { workers, instanceId: randomUUID(), guesses: new LocalGuesses(clock), fetchJwks: fetchNothing }
  }

  next(): WorkerContext {
    const worker = this.#started++
    const attempts: AttemptSharing = {
      note: (limit, key, count) => {
        for (const listener of this.#listeners) {
          if (listener.limit === limit && listener.worker !== worker) listener.apply(key, count)
        }
      },
      onNoted: (limit, apply) => void this.#listeners.push({ limit, worker, apply }),
    }
    return { ...this.#context, isLead: worker === 0, attempts }
  }
}

async function createTestController(
  options: StartOptions & { readonly events: EventHub; readonly worker?: WorkerContext },
  store: Store,
): Promise<TestNode['controller']> {
  const { clock, settings, logged, events, worker } = options
  const authority = await getTestAuthority()
  return createController({
    store,
    clock,
    settings,
    events,
    ...(worker && { worker }),
    log: pino({ level: 'trace' }, { write: (line: string) => void logged.push(line) }),
    sealing: createSealing(options.sealingKey ?? TEST_SEALING_KEY),
    tls: {
      cert: serverCertificate.pem,
      key: serverCertificate.privateKey.export({ type: 'pkcs8', format: 'pem' }),
      ca: formatPem('CERTIFICATE', authority.issuer.certificate),
    },
    addresses: () => options.addresses ?? ['127.0.0.1:1280'],
    caCertificates: () => Buffer.from('Y2E=\n'),
    serverIdentity: () => serverIdentity,
    issuingKeys: options.keys ?? (() => authority),
    passwordCost: TEST_PASSWORD_COST,
    fetchJwks: options.fetchJwks ?? fetchNothing,
    dataDir: options.dir,
    consoleFolder: options.consoleFolder ?? options.dir,
  })
}

/** Never resolves: tests stay off the network, and key states stay as created. */
const fetchNothing: FetchJwks = ({ signal }) =>
  new Promise((_, reject) => {
    signal?.addEventListener('abort', () => reject(new OutboundError('stopped', 'the test is over')))
  })

/** Counts the changes that nodes make and receive, so that a test reads what it has written through another node. */
class ChangeCounter {
  readonly #received = new Map<Store, number>()
  #made = 0

  follow(store: Store): void {
    this.#received.set(store, this.#made)
    store.onChange((changes) => {
      const received = changes === 'everything' ? this.#made : (this.#received.get(store) ?? 0) + changes.length
      this.#received.set(store, received)
    })
    store.onOwnChange((changes) => {
      this.#made += changes.length
    })
  }

  /** Resolves when the store has received all changes, at the latest after the lag that nodes may have. */
  async settle(store: Store): Promise<void> {
    const deadline = performance.now() + MAX_LAG_MS
    while ((this.#received.get(store) ?? this.#made) < this.#made && performance.now() < deadline) await sleep(2)
  }
}
