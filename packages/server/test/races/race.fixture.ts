import assert from 'node:assert/strict'
import { isState, isStateRow } from '../attack/target.ts'
import type { Reply } from '../http/build-app.ts'
import type { Actor, World } from './actors.fixture.ts'
import type { RaceRequest } from './requests.fixture.ts'

/** Only a request with a certificate needs `overTls`. */
type RaceWorld = Pick<World, 'app'> & Partial<Pick<World, 'overTls'>>

export interface Race {
  readonly reply: Reply
  /** Whether the request came as far as the operation. */
  readonly hasWritten: boolean
  /** Whether the database has changed since `beforeWrite`. */
  readonly hasChanged: boolean
}

/** Sends a request. `beforeWrite` happens after the request has been authenticated, directly before its operation. */
export async function race(
  world: RaceWorld,
  { credentials }: Pick<Actor, 'credentials'>,
  { method, path, body, raw, headers, tls }: RaceRequest,
  operation: string,
  beforeWrite: () => Promise<void>,
): Promise<Race> {
  const { app } = world
  const options = { ...credentials, headers: { ...credentials.headers, ...headers }, ...(raw && { raw }) }
  let before: string | undefined
  const restore = app.stores.map((store) => {
    const { run } = store
    store.run = async (given, args, meta) => {
      if (given.name === operation && before === undefined) {
        before = ''
        await beforeWrite()
        before = await dump(world)
      }
      return run(given, args, meta)
    }
    return () => {
      store.run = run
    }
  })
  try {
    const reply =
      tls && world.overTls
        ? await world.overTls(method, path, { ...options, ...tls, body })
        : await app.call(method, path, body, options)
    return { reply, hasWritten: before !== undefined, hasChanged: (await dump(world)) !== before }
  } finally {
    for (const undo of restore) undo()
  }
}

/** Logs in by token. `beforeWrite` happens directly before the operation, which must be reached. */
export async function raceTokenLogin(
  world: RaceWorld,
  token: string,
  operation: string,
  beforeWrite: () => Promise<unknown>,
): Promise<Reply> {
  const headers = { authorization: `Bearer ${token}` }
  const request = { method: 'POST', path: '/edge/client/v1/authenticate?method=ext-jwt', headers }
  const { reply, hasWritten } = await race(world, { credentials: {} }, request, operation, async () => {
    await beforeWrite()
  })
  assert.ok(hasWritten, operation)
  return reply
}

let tables: Promise<string[]> | undefined

/** The same in every database, and slow to list. */
async function listTables({ app }: RaceWorld): Promise<string[]> {
  const all = await app.store.db.introspection.getTables()
  assert.ok(all.length > 20, String(all.length))
  return all.map(({ name }) => name)
}

/** All rows of all tables, without the keys, last uses, kept logins, decisions and revoked certificates that the controller itself stores meanwhile. */
async function dump(world: RaceWorld): Promise<string> {
  tables ??= listTables(world)
  const { db } = world.app.store
  const rows: unknown[] = []
  for (const name of await tables) {
    if (/key_sets$|^api_account_uses$|^auth_decisions$|^issued_certificates$|^revocation_lists$/.test(name)) continue
    if (!isState(name)) continue
    const all = db.selectFrom(name as 'change_log').selectAll()
    const read = await all.$if(name === 'change_log', (log) => log.where('actor_id', '!=', 'system')).execute()
    rows.push(name, read.filter(isStateRow))
  }
  return JSON.stringify(rows)
}
