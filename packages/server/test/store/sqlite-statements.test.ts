import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { CompiledQuery } from 'kysely'
import { SqliteConnection } from '../../src/store/sqlite/sqlite-connection.ts'
import { createSqliteKysely } from '../../src/store/sqlite/sqlite-dialect.ts'

/** How often a statement with this many terms is prepared when it is run twice. */
async function countPrepared(terms: number): Promise<number> {
  const raw = new DatabaseSync(':memory:')
  let count = 0
  const counted = new Proxy(raw, {
    get: (target, name) => {
      if (name === 'prepare') count += 1
      const value = Reflect.get(target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
  const db = createSqliteKysely(new SqliteConnection(counted))
  const query = CompiledQuery.raw(`select ${Array(terms).fill("'a' = 'b'").join(' or ')} as found`)
  for (let times = 0; times < 2; times += 1) assert.deepEqual((await db.executeQuery(query)).rows, [{ found: 0 }])
  raw.close()
  return count
}

test('M-16 the statement of a long filter is not kept, that of a short one is', async () => {
  assert.equal(await countPrepared(20), 1)
  assert.equal(await countPrepared(400), 2)
})
