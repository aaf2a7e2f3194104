import { X509Certificate } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { digestPassword, formatPem, newId, type PasswordCost } from '@countersign/core'
import { makeTestCertificate, startPostgres } from '@countersign/testkit'
import { pino } from 'pino'
import { createPasswordAuthenticator } from '../../src/operations/authenticator/create-authenticator.ts'
import type { FetchJwks } from '../../src/outbound/jwks-fetch.ts'
import { OutboundError } from '../../src/outbound/outbound-error.ts'
import { createSealing } from '../../src/platform/keys/sealing.ts'
import { buildServerIdentity } from '../../src/platform/keys/server-identity.ts'
import { loadSettings, type Settings } from '../../src/platform/settings/index.ts'
import { createController } from '../../src/process/create-controller.ts'
import { ensureFirstAdmin } from '../../src/process/first-admin.ts'
import { openStore } from '../../src/store/open-store.ts'
import type { Store } from '../../src/store/store.ts'
import { getTestAuthority, type TestAuthority } from '../platform/keys/test-authority.ts'
import { TEST_WRITER_ENTRY } from '../store/test-writer.ts'

/** Cheap on purpose: these tests are not about the cost of guessing. */
export const TEST_PASSWORD_COST: PasswordCost = { logN: 4, r: 8, p: 1 }
/** Shared, since nodes on one database must have the same key. */
export const TEST_SEALING_KEY = Buffer.alloc(32, 7)
export const ADMIN_PASSWORD = 'the-test-admin-password'

export interface Reply {
  readonly status: number
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly text: string
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
  readonly store: Store
  readonly settings: Settings
  readonly clock: { now(): number; advance(ms: number): void }
  /** All log lines. */
  readonly logged: string[]
  readonly adminSession: string
  /** Sends a request, without a session unless one is given. */
  call(method: string, path: string, body?: unknown, options?: CallOptions): Promise<Reply>
  /** Sends a request as the administrator. */
  admin(method: string, path: string, body?: unknown, options?: CallOptions): Promise<Reply>
  logIn(username: string, password: string): Promise<string>
  /** Creates an identity with a password and logs it in. */
  makeIdentity(settings?: Readonly<Record<string, unknown>>): Promise<{ id: string; session: string }>
  readonly controller: ReturnType<typeof createController>
}

export interface AppOptions {
  /** A new database, or the URL of one that another controller uses too. */
  readonly database?: 'sqlite' | 'postgres' | `postgres${string}:${string}`
  /** Flags of the command. Other settings need a file: `{ config: path }`. */
  readonly settings?: Readonly<Record<string, string>>
  /** Fetches key sets. By default a fetch never resolves, since tests stay off the network. */
  readonly fetchJwks?: FetchJwks
  /** The client CA; by default the one of the test file. */
  readonly keys?: () => TestAuthority
  readonly sealingKey?: Buffer
  /** The folder of the built console; the build's output folder unless given. */
  readonly consoleFolder?: string
}

const serverCertificate = makeTestCertificate({ kind: 'ec256', commonName: 'localhost' })

/** The server identity of the controller under test. */
export const serverIdentity = buildServerIdentity(
  new X509Certificate(serverCertificate.pem),
  serverCertificate.privateKey,
)

/** A whole controller on a real store, without a listener: calls go straight into the pipeline. */
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
  const { database: requested = 'sqlite' } = options
  const database = requested === 'postgres' ? await newPostgresDatabase() : requested
  const store = await openStore({
    writer: TEST_WRITER_ENTRY,
    database,
    sqliteFile: join(dir, 'test.db'),
    nodeId: newId(),
    now: clock.now(),
    onWarning: () => {},
    onFatal: (error) => {
      throw error
    },
  })
  await ensureFirstAdmin(store, {
    adminPassword: ADMIN_PASSWORD,
    passwordCost: TEST_PASSWORD_COST,
    now: clock.now(),
  })
  const authority = await getTestAuthority()
  const logged: string[] = []
  const log = pino({ level: 'trace' }, { write: (line: string) => void logged.push(line) })
  const controller = createController({
    store,
    clock,
    settings,
    log,
    sealing: createSealing(options.sealingKey ?? TEST_SEALING_KEY),
    tls: {
      cert: serverCertificate.pem,
      key: serverCertificate.privateKey.export({ type: 'pkcs8', format: 'pem' }),
      ca: formatPem('CERTIFICATE', authority.issuer.certificate),
    },
    addresses: () => ['127.0.0.1:1280'],
    caCertificates: () => Buffer.from('Y2E=\n'),
    serverIdentity: () => serverIdentity,
    issuingKeys: options.keys ?? (() => authority),
    passwordCost: TEST_PASSWORD_COST,
    fetchJwks: options.fetchJwks ?? fetchNothing,
    consoleFolder: options.consoleFolder,
  })
  t.after(async () => {
    await controller.close()
    await store.close()
    rmSync(dir, { recursive: true, force: true })
  })

  const call: TestApp['call'] = async (method, path, body, { session, headers, raw } = {}) => {
    const hasBody = body !== undefined || raw !== undefined
    const response = await controller.http.inject({
      method: method as 'GET',
      url: path,
      headers: {
        ...(hasBody && { 'content-type': 'application/json' }),
        ...(session !== undefined && { 'zt-session': session }),
        ...headers,
      },
      ...(hasBody && { payload: raw ?? JSON.stringify(body) }),
    })
    const isJson = /^application\/(hal\+)?json/.test(String(response.headers['content-type']))
    return {
      status: response.statusCode,
      headers: response.headers as Record<string, string | undefined>,
      text: response.body,
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
    await store.run(
      createPasswordAuthenticator,
      { id: newId(), identityId: id, username: name, passwordDigest },
      { actorId: 'system', now: clock.now() },
    )
    return { id, session: await logIn(name, password) }
  }

  return { store, settings, clock, logged, adminSession, call, admin, logIn, makeIdentity, controller }
}

/** Never resolves: tests stay off the network, and key states stay as created. */
const fetchNothing: FetchJwks = ({ signal }) =>
  new Promise((_, reject) => {
    signal?.addEventListener('abort', () => reject(new OutboundError('stopped', 'the test is over')))
  })

let postgres: ReturnType<typeof startPostgres> | undefined

/** Returns the URL of a new database on this test file's PostgreSQL server. */
export async function newPostgresDatabase(): Promise<`postgres${string}:${string}`> {
  postgres ??= startPostgres()
  return (await (await postgres).createDatabase()) as `postgres${string}:${string}`
}

/** Stops this test file's PostgreSQL server. Call it in a file-level `after`. */
export async function stopTestPostgres(): Promise<void> {
  await (await postgres)?.stop()
  postgres = undefined
}
