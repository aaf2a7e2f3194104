import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, type TestContext } from 'node:test'
import { openRawHttps, type RawConnection, type RawResponse, rawRequest, stateDigest } from '@countersign/testkit'
import type { Kysely } from 'kysely'
import type { Store } from '../../src/store/store.ts'
import { buildApp, type TestApp } from '../http/build-app.ts'

/** A controller on a real socket, with a check that an attack has changed nothing. */
export interface Target {
  readonly app: TestApp
  readonly port: number
  open(): Promise<RawConnection>
  request(bytes: string | Buffer): Promise<RawResponse>
  /** Runs the attack. Asserts that no table has changed and that the next legitimate call works. */
  unharmed<T>(attack: () => Promise<T>): Promise<T>
}

export interface TargetOptions {
  readonly database?: 'sqlite' | 'postgres'
  /** Settings as in a settings file. */
  readonly settings?: object
}

export const SIGNERS = '/edge/management/v1/external-jwt-signers'

/** One controller for all tests of a file. */
export function sharedTarget(options: TargetOptions = {}): () => Target {
  let target: Target | undefined
  const cleanups: (() => unknown)[] = []
  const context = { after: (cleanup: () => unknown) => void cleanups.unshift(cleanup) } as unknown as TestContext
  before(async () => {
    target = await startTarget(context, options)
  })
  after(async () => {
    for (const cleanup of cleanups) await cleanup()
  })
  return () => target ?? assert.fail('the controller has not started')
}

export async function startTarget(t: TestContext, options: TargetOptions = {}): Promise<Target> {
  const { database = 'sqlite', settings = {} } = options
  const dir = mkdtempSync(join(tmpdir(), 'countersign-target-'))
  t.after(() => rmSync(dir, { recursive: true, force: true }))
  const config = join(dir, 'settings.yaml')
  writeFileSync(config, JSON.stringify(settings))
  const app = await buildApp(t, { database, settings: { config } })
  await app.controller.http.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.controller.http.server.address() as { port: number }
  // Creates the signing key of the OpenID provider, which upkeep would create in the middle of a slow test.
  await app.call('GET', '/oidc/keys')
  const request = (bytes: string | Buffer) => rawRequest(port, bytes)
  return {
    app,
    port,
    open: () => openRawHttps({ port }),
    request,
    unharmed: async (attack) => {
      const before = await stateOf(app.store)
      const result = await attack()
      assert.deepEqual(await stateOf(app.store), before, 'nothing has changed')
      const next = await request(
        `GET ${SIGNERS} HTTP/1.1\r\nHost: localhost\r\nzt-session: ${app.adminSession}\r\n\r\n`,
      )
      assert.equal(next.status, 200, 'the next legitimate call works')
      return result
    },
  }
}

/** Whether a table is written only by what changes something: records are chained and signed, and claims of logins kept, a little later. */
export function isState(table: string): boolean {
  return !/^audit_|^pending_records$|^event_outbox$|^outbox_state$|^kept_logins$/.test(table)
}

/** The key of the audit record is created when it first signs. */
export function isStateRow(row: object): boolean {
  return !('name' in row && String(row.name).startsWith('auditKey.'))
}

/** The state digest of a store, table by table. */
export function stateOf(store: Store): Promise<Record<string, string>> {
  const db = store.db as unknown as Kysely<Record<string, object>>
  return stateDigest({
    listTables: async () => (await db.introspection.getTables()).map(({ name }) => name).filter(isState),
    readTable: async (name) => (await db.selectFrom(name).selectAll().execute()).filter(isStateRow),
  })
}
