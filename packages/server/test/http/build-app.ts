import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { digestPassword, newId } from '@countersign/core'
import type { EventHub } from '../../src/events/event-hub.ts'
import { createPasswordAuthenticator } from '../../src/operations/authenticator/create-authenticator.ts'
import { loadSettings, type Settings } from '../../src/platform/settings/index.ts'
import { ensureFirstAdmin } from '../../src/process/first-admin.ts'
import type { Store } from '../../src/store/store.ts'
import { eventsOf } from '../events/read-events.ts'
import { startTestNodes, TEST_PASSWORD_COST, type TestNode, type TestNodeOptions } from './test-nodes.ts'

export { serverIdentity, TEST_PASSWORD_COST, TEST_SEALING_KEY } from './test-nodes.ts'
export { newPostgresDatabase } from './test-postgres.ts'

export const ADMIN_PASSWORD = 'the-test-admin-password'

export interface Reply {
  readonly status: number
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly text: string
  /** The body as it was sent, in calls without TLS. */
  readonly bytes?: Buffer
  // biome-ignore lint/suspicious/noExplicitAny: tests read responses of every shape
  readonly json: any
}

export interface CallOptions {
  readonly session?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Sent unchanged, with the content type given in `headers`. */
  readonly raw?: string | Buffer
}

export interface TestApp {
  /** The store of the first node. */
  readonly store: Store
  /** The stores of all nodes. */
  readonly stores: readonly Store[]
  readonly settings: Settings
  /** The data directory of all nodes. */
  readonly dir: string
  readonly clock: { now(): number; advance(ms: number): void }
  /** All log lines. */
  readonly logged: string[]
  readonly adminSession: string
  /** Sends a request to each node in turn, without a session unless one is given. */
  call(method: string, path: string, body?: unknown, options?: CallOptions): Promise<Reply>
  /** Sends a request as the administrator. */
  admin(method: string, path: string, body?: unknown, options?: CallOptions): Promise<Reply>
  logIn(username: string, password: string): Promise<string>
  /** Creates an identity with a password and logs it in. */
  makeIdentity(settings?: Readonly<Record<string, unknown>>): Promise<{ id: string; session: string }>
  /** The ids of all nodes in their events. */
  readonly nodeIds: readonly string[]
  /** The kept events of all nodes. */
  readonly published: EventHub
  /** Those of one namespace. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read events of every shape
  events(namespace: string): any[]
  /** The first node. */
  readonly controller: TestNode['controller']
  /** All nodes. */
  readonly controllers: readonly TestNode['controller'][]
  /** Stops all nodes and starts them again on the same database. The nodes that were read before are those that have stopped. */
  restart(): Promise<void>
}

export interface AppOptions extends TestNodeOptions {
  /** Flags of the command. Other settings need a file: `{ config: path }`. */
  readonly settings?: Readonly<Record<string, string>>
}

/**
 * Starts controllers on a real store, without a listener: calls go straight into the pipeline. There are as many as the deployment of the test
 * run has, or one on the given database.
 */
export async function buildApp(t: TestContext, options: AppOptions = {}): Promise<TestApp> {
  const dir = mkdtempSync(join(tmpdir(), 'countersign-http-'))
  let offset = 0
  const clock = {
    now: () => Date.now() + offset,
    advance: (ms: number) => {
      offset += ms
    },
  }
  const { settings } = loadSettings({ flags: { dev: true, ...options.settings }, env: {} })
  const logged: string[] = []
  const nodes = await startTestNodes({ ...options, dir, clock, settings, logged })
  const [{ store }] = nodes.all
  t.after(async () => {
    await nodes.close()
    rmSync(dir, { recursive: true, force: true })
  })
  await ensureFirstAdmin(store, {
    adminPassword: ADMIN_PASSWORD,
    passwordCost: TEST_PASSWORD_COST,
    now: clock.now(),
  })

  const call: TestApp['call'] = async (method, path, body, { session, headers, raw } = {}) => {
    const hasBody = body !== undefined || raw !== undefined
    const node = await nodes.next()
    const response = await node.controller.http.inject({
      method: method as 'GET',
      url: path,
      headers: {
        ...(hasBody && { 'content-type': 'application/json' }),
        ...(session !== undefined && { 'zt-session': session }),
        ...headers,
      },
      ...(hasBody && { payload: raw ?? JSON.stringify(body) }),
    })
    const isJson = /^application\/(hal\+|scim\+)?json/.test(String(response.headers['content-type']))
    return {
      status: response.statusCode,
      headers: response.headers as Record<string, string | undefined>,
      text: response.body,
      bytes: response.rawPayload,
      json: isJson ? JSON.parse(response.body) : undefined,
    }
  }

  const logIn = async (username: string, password: string): Promise<string> => {
    const reply = await call('POST', '/edge/management/v1/authenticate?method=password', { username, password })
    if (reply.status !== 200) throw new Error(`log in as ${username}: ${reply.status} ${reply.text}`)
    return reply.json.data.token
  }
  const adminSession = await logIn('admin', ADMIN_PASSWORD)
  const admin: TestApp['admin'] = (method, path, body, callOptions) => {
    return call(method, path, body, { session: adminSession, ...callOptions })
  }

  const makeIdentity: TestApp['makeIdentity'] = async (identitySettings = {}) => {
    const name = `identity-${newId()}`
    const body = { name, type: 'Default', isAdmin: false, ...identitySettings }
    const reply = await admin('POST', '/edge/management/v1/identities', body)
    if (reply.status !== 201) throw new Error(`create identity: ${reply.status} ${reply.text}`)
    const { id } = reply.json.data
    const password = newId()
    const passwordDigest = await digestPassword(password, TEST_PASSWORD_COST)
    await nodes.all[0].store.run(
      createPasswordAuthenticator,
      { id: newId(), identityId: id, username: name, passwordDigest },
      { actorId: 'system', now: clock.now() },
    )
    return { id, session: await logIn(name, password) }
  }

  const events: TestApp['events'] = (namespace) => eventsOf(nodes.events, namespace)

  return {
    get store() {
      return nodes.all[0].store
    },
    get stores() {
      return nodes.all.map((node) => node.store)
    },
    settings,
    dir,
    clock,
    logged,
    adminSession,
    call,
    admin,
    logIn,
    makeIdentity,
    get nodeIds() {
      return nodes.all.map((node) => node.controller.events.nodeId)
    },
    published: nodes.events,
    events,
    get controller() {
      return nodes.all[0].controller
    },
    get controllers() {
      return nodes.all.map((node) => node.controller)
    },
    restart: nodes.restart,
  }
}
