import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { AppError, newId } from '@countersign/core'
import { createSigner } from '../../src/operations/signer/create-signer.ts'
import { deleteSigner } from '../../src/operations/signer/delete-signer.ts'
import { patchSigner } from '../../src/operations/signer/update-signer.ts'
import { createFirstAdmin } from '../../src/operations/start/create-first-admin.ts'
import { pruneChangeLog } from '../../src/operations/upkeep/prune-change-log.ts'
import type { Change } from '../../src/store/change.ts'
import type { Store } from '../../src/store/store.ts'
import { DATABASES, openTestStore, stopPostgres } from './open-test-stores.ts'

after(stopPostgres)

const meta = { actorId: 'system', now: 1_700_000_000_000 }

const signer = (name: string, overrides: Record<string, unknown> = {}) => ({
  id: newId(),
  byAdmin: true,
  certificate: undefined,
  body: {
    name,
    enabled: true,
    issuer: `https://${name}.example`,
    audience: 'edge',
    jwksEndpoint: `https://${name}.example/jwks`,
    ...overrides,
  },
})

async function withDefaults(store: Store): Promise<Store> {
  const admin = { identityId: newId(), authenticatorId: newId(), username: 'admin', passwordDigest: 'x' }
  assert.equal(await store.run(createFirstAdmin, admin, meta), true)
  return store
}

const isFieldError = (field: string) => (error: unknown) => {
  assert.ok(error instanceof AppError, String(error))
  assert.equal(error.code, 'COULD_NOT_VALIDATE')
  assert.ok(error.publicCause && 'field' in error.publicCause)
  assert.equal(error.publicCause.field, field)
  return true
}

async function countOf(store: Store, table: 'ext_jwt_signers' | 'change_log' | 'identities'): Promise<number> {
  const row = await store.db
    .selectFrom(table)
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  return Number(row.total)
}

for (const database of DATABASES) {
  describe(`store on ${database}`, () => {
    test('a write is visible to the next read and logged as a change in the same transaction', async (t) => {
      const store = await withDefaults(await openTestStore(t, database))
      const before = await countOf(store, 'change_log')
      const created = signer('one')
      await store.run(createSigner, created, meta)
      const row = await store.db.selectFrom('ext_jwt_signers').selectAll().executeTakeFirstOrThrow()
      assert.equal(row.id, created.id)
      assert.equal(row.created_at, meta.now)
      const log = await store.db.selectFrom('change_log').selectAll().orderBy('seq', 'desc').executeTakeFirstOrThrow()
      assert.equal(await countOf(store, 'change_log'), before + 1)
      assert.deepEqual(
        { entity: log.entity, id: log.entity_id, action: log.action, actor: log.actor_id, at: log.at },
        { entity: 'externalJwtSigners', id: created.id, action: 'created', actor: meta.actorId, at: meta.now },
      )
    })

    test('a refused write leaves neither a row nor a log entry, and concurrent writes succeed', async (t) => {
      const store = await withDefaults(await openTestStore(t, database))
      const before = await countOf(store, 'change_log')
      const results = await Promise.allSettled([
        store.run(createSigner, signer('one'), meta),
        store.run(createSigner, signer('bad', { issuer: ' ' }), meta),
        store.run(createSigner, signer('two'), meta),
      ])
      assert.deepEqual(
        results.map(({ status }) => status),
        ['fulfilled', 'rejected', 'fulfilled'],
      )
      assert.equal(await countOf(store, 'ext_jwt_signers'), 2)
      assert.equal(await countOf(store, 'change_log'), before + 2)
    })

    test('in every group, the writes that are not refused succeed, and each gets its own result', async (t) => {
      const store = await withDefaults(await openTestStore(t, database))
      const before = await countOf(store, 'change_log')
      let good = 0
      // More groups than the writer handles singly after a refusal, and then another refusal.
      for (let group = 0; group < 60; group += 1) {
        const names = group % 55 === 1 ? ['a', 'bad', 'b', 'bad', 'c'] : ['a', 'b']
        const results = await Promise.allSettled(
          names.map((name) =>
            name === 'bad'
              ? store.run(createSigner, signer(`bad-${group}`, { issuer: ' ' }), meta)
              : store.run(createSigner, signer(`${name}-${group}`), meta),
          ),
        )
        assert.deepEqual(
          results.map(({ status }) => status),
          names.map((name) => (name === 'bad' ? 'rejected' : 'fulfilled')),
        )
        good += names.filter((name) => name !== 'bad').length
      }
      assert.equal(await countOf(store, 'ext_jwt_signers'), good)
      assert.equal(await countOf(store, 'change_log'), before + good)
    })

    test('unique indexes enforce uniqueness: one of many concurrent writes with one name succeeds', async (t) => {
      const store = await withDefaults(await openTestStore(t, database))
      const racers = Array.from({ length: 20 }, (_, index) =>
        store.run(createSigner, signer('same', { issuer: `https://${index}.example` }), meta),
      )
      const results = await Promise.allSettled(racers)
      assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 1)
      for (const result of results) if (result.status === 'rejected') isFieldError('name')(result.reason)
      assert.equal(await countOf(store, 'ext_jwt_signers'), 1)
    })

    test('D-05 D9 the same issuer is allowed with another audience, the same pair is not', async (t) => {
      const store = await withDefaults(await openTestStore(t, database))
      const issuer = 'https://shared.example'
      await store.run(createSigner, signer('one', { issuer, audience: 'a' }), meta)
      await store.run(createSigner, signer('two', { issuer, audience: 'b' }), meta)
      await assert.rejects(
        store.run(createSigner, signer('three', { issuer, audience: 'a' }), meta),
        isFieldError('issuer'),
      )
    })

    test('listeners are notified of a change before the writer gets its result', async (t) => {
      const store = await withDefaults(await openTestStore(t, database))
      const heard: (readonly Change[] | 'everything')[] = []
      store.onChange((changes) => heard.push(changes))
      const created = signer('one')
      await store.run(createSigner, created, meta)
      const [changes] = heard
      assert.ok(changes !== undefined && changes !== 'everything')
      const received = changes.map(({ entity, id, action }) => ({ entity, id, action }))
      assert.deepEqual(received, [{ entity: 'externalJwtSigners', id: created.id, action: 'created' }])
      await assert.rejects(store.run(deleteSigner, { id: 'unknown' }, meta))
      assert.equal(heard.length, 1)
    })

    test('a repeated first start finds the existing administrator', async (t) => {
      const store = await withDefaults(await openTestStore(t, database))
      const again = { identityId: newId(), authenticatorId: newId(), username: 'admin', passwordDigest: 'y' }
      assert.equal(await store.run(createFirstAdmin, again, meta), false)
      assert.equal(await countOf(store, 'identities'), 1)
    })

    test('text is compared byte by byte and keeps every character', async (t) => {
      const store = await withDefaults(await openTestStore(t, database))
      const names = ['caf\u00e9', 'cafe\u0301', 'Cafe', 'cafe', '\uff23\uff21\uff26\uff25', '\u{1f600}', 'quote\'";--']
      for (const [index, name] of names.entries()) {
        await store.run(createSigner, signer(`n${index}`, { name }), meta)
      }
      const rows = await store.db.selectFrom('ext_jwt_signers').select('name').orderBy('name').execute()
      const byBytes = [...names].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
      assert.deepEqual(
        rows.map(({ name }) => name),
        byBytes,
      )
    })

    test('many concurrent writes are all acknowledged and stored', async (t) => {
      const store = await withDefaults(await openTestStore(t, database))
      const all = Array.from({ length: 300 }, (_, index) => signer(`s${index}`))
      await Promise.all(all.map((each) => writeUntilAccepted(store, each)))
      assert.equal(await countOf(store, 'ext_jwt_signers'), 300)
    })

    test('concurrent changes of different signers all succeed', async (t) => {
      const store = await withDefaults(await openTestStore(t, database))
      const all = Array.from({ length: 20 }, (_, index) => signer(`s${index}`))
      for (const each of all) await store.run(createSigner, each, meta)
      const rename = (id: string, name: string) => ({ id, body: { name }, certificate: undefined })
      await Promise.all(all.map(({ id }, index) => store.run(patchSigner, rename(id, `renamed ${index}`), meta)))
      const rows = await store.db.selectFrom('ext_jwt_signers').select('name').execute()
      assert.ok(rows.every(({ name }) => name.startsWith('renamed ')))
    })

    test('old entries of the change log are pruned, recent ones stay', async (t) => {
      const store = await withDefaults(await openTestStore(t, database))
      await store.run(createSigner, signer('one'), meta)
      const muchLater = { ...meta, now: meta.now + 91 * 86_400_000 }
      await store.run(createSigner, signer('two'), muchLater)
      await store.run(pruneChangeLog, {}, muchLater)
      const left = await store.db.selectFrom('change_log').select('at').execute()
      assert.deepEqual(
        left.map(({ at }) => at),
        [muchLater.now],
      )
    })
  })
}

/**
 * On a busy machine a write may time out in the queue and is refused with a retry. A refused write that was stored nevertheless
 * would make the retry fail, because its name would be taken.
 */
async function writeUntilAccepted(store: Store, created: ReturnType<typeof signer>): Promise<void> {
  for (;;) {
    try {
      return await store.run(createSigner, created, meta)
    } catch (error) {
      if (!(error instanceof AppError && error.code === 'STORE_UNAVAILABLE')) throw error
    }
  }
}
