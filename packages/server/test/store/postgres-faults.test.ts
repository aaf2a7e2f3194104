import assert from 'node:assert/strict'
import { after, type TestContext, test } from 'node:test'
import { newId } from '@countersign/core'
import pg from 'pg'
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts'
import { createSigner, withDefaults } from '../signer-keys/keeper.fixture.ts'
import { getPostgres, stopPostgres } from './open-test-stores.ts'

after(stopPostgres)

async function openFaulty(t: TestContext) {
  const url = await (await getPostgres()).createDatabase()
  const store = await withDefaults(await openPostgresStore({ url, nodeId: newId(), now: 1, onProblem: () => {} }))
  const admin = new pg.Client({ connectionString: url })
  await admin.connect()
  t.after(async () => {
    await admin.end()
    await store.close()
  })
  await admin.query('create sequence attempts')
  /** The first so many attempts to make a signer fail; a sequence counts on when they are rolled back. */
  const failFirst = async (sqlState: string, times: number) => {
    await admin.query('alter sequence attempts restart')
    await admin.query(`create or replace function fail() returns trigger language plpgsql as $$ begin
      if nextval('attempts') <= ${times} then raise exception 'collided' using errcode = '${sqlState}'; end if;
      return new; end $$`)
    await admin.query(
      'create or replace trigger fails before insert on ext_jwt_signers for each row execute function fail()',
    )
  }
  const attempts = async () => Number((await admin.query('select last_value from attempts')).rows[0].last_value)
  return { store, failFirst, attempts }
}

for (const [what, sqlState] of [
  ['a serialization failure', '40001'],
  ['a deadlock', '40P01'],
] as const) {
  test(`S-07 ${what} is tried again three times at most, and is a 503 after that`, async (t) => {
    const { store, failFirst, attempts } = await openFaulty(t)
    await failFirst(sqlState, 3)
    await createSigner(store, 'third-retry')
    assert.equal(await attempts(), 4)
    await failFirst(sqlState, 4)
    await assert.rejects(createSigner(store, 'one-more'), { code: 'STORE_UNAVAILABLE' })
    assert.equal(await attempts(), 4)
    const names = await store.db.selectFrom('ext_jwt_signers').select('name').execute()
    assert.deepEqual(names, [{ name: 'third-retry' }])
  })
}

test('S-07 a unique violation is no collision: it is told at once, as what is wrong with the call', async (t) => {
  const { store, failFirst, attempts } = await openFaulty(t)
  await failFirst('40001', 0)
  await createSigner(store, 'taken')
  await assert.rejects(createSigner(store, 'taken'), { code: 'COULD_NOT_VALIDATE' })
  assert.equal(await attempts(), 2)
  await createSigner(store, 'free')
})
