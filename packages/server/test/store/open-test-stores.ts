import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { newId } from '@countersign/core'
import { startPostgres } from '@countersign/testkit'
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts'
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts'
import type { Store } from '../../src/store/store.ts'
import { startThreadWriter } from './test-writer.ts'

export const DATABASES = ['sqlite', 'postgres'] as const
export type DatabaseName = (typeof DATABASES)[number]

let postgres: ReturnType<typeof startPostgres> | undefined

/** The PostgreSQL server of this test file. */
export async function getPostgres() {
  postgres ??= startPostgres()
  return postgres
}

/** Stops the server. Call it in a file-level `after`. */
export async function stopPostgres(): Promise<void> {
  if (postgres) await (await postgres).stop()
}

/** A fresh store with nothing but the schema. */
export async function openTestStore(
  t: TestContext,
  database: DatabaseName,
  options: { readonly longReadMs?: number } = {},
): Promise<Store> {
  const store = database === 'sqlite' ? await openSqlite(t, options) : await openPostgres(options)
  t.after(() => store.close())
  return store
}

async function openSqlite(t: TestContext, options: { readonly longReadMs?: number }): Promise<Store> {
  const dir = mkdtempSync(join(tmpdir(), 'countersign-store-'))
  t.after(() => rmSync(dir, { recursive: true, force: true }))
  return openSqliteStore({ startWriter: startThreadWriter, file: join(dir, 'test.db'), now: Date.now(), ...options })
}

async function openPostgres(options: { readonly longReadMs?: number }): Promise<Store> {
  const url = await (await getPostgres()).createDatabase()
  return openPostgresStore({ url, nodeId: newId(), now: Date.now(), onWarning: () => {}, ...options })
}
