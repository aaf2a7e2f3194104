import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { newId, resolvePaging } from '@countersign/core'
import { createIdentity } from '../../src/operations/identity/create-identity.ts'
import { deleteIdentity } from '../../src/operations/identity/delete-identity.ts'
import { disableIdentity } from '../../src/operations/identity/disable-identity.ts'
import { createFirstAdmin } from '../../src/operations/start/create-first-admin.ts'
import { IDENTITY_ENROLLMENT_FILTER } from '../../src/store/filter-tables.ts'
import { buildFilterOptions } from '../../src/store/filter-to-sql.ts'
import { createListReader, type ListReader } from '../../src/store/reads/list-reader.ts'
import { readAll, readPage } from '../../src/store/reads/list-rows.ts'
import type { SortPosition } from '../../src/store/sort-position.ts'
import type { Store } from '../../src/store/store.ts'
import { DATABASES, openTestStore, stopPostgres } from './open-test-stores.ts'

after(stopPostgres)

const TABLE = IDENTITY_ENROLLMENT_FILTER
const OPTIONS = buildFilterOptions(TABLE)
const IDENTITIES = 20
const META = { actorId: 'system', now: Date.now() }
/** Identities differ by the order of their ids, names and external ids, which half of them do not have. */
const nameOf = (nth: number) => `name ${(nth * 7) % IDENTITIES}`

async function fill(store: Store): Promise<void> {
  const admin = { identityId: newId(), authenticatorId: newId(), username: 'admin', passwordDigest: 'x' }
  await store.run(createFirstAdmin, admin, META)
  for (let nth = 0; nth < IDENTITIES; nth++) {
    const externalId = nth % 2 === 0 ? { externalId: `external ${(nth * 3) % IDENTITIES}` } : {}
    const enrollment = nth % 3 === 0 ? { enrollment: { ott: true } } : {}
    const body = { name: nameOf(nth), type: 'Default', isAdmin: false, ...externalId, ...enrollment } as const
    await store.run(createIdentity, { id: `id-${nth}`, body }, META)
  }
}

type Row = { readonly id: string; readonly name: string }
const ALL = { columns: undefined, use: (rows: readonly Row[]) => rows }

/** A reader that notes how many rows it has read at a time. */
function countingReader(store: Store) {
  const counts: number[] = []
  const reader = createListReader(store, { caller: 'caller', isLong: true, now: META.now })
  const read: ListReader['read'] = (build, use) =>
    reader.read(build, (rows) => {
      counts.push(rows.length)
      for (const row of rows.slice(0, -1))
        assert.equal((row as SortPosition).sort_0 ?? null, null, 'only the last id has a position')
      return use(rows)
    })
  return { reader: { ...reader, read }, counts }
}

const PARTS = { rows: 2, ids: 3 }

for (const database of DATABASES) {
  test(`M-15 a list without limit holds a part of its ids in any order, and is complete, on ${database}`, async (t) => {
    const store = await openTestStore(t, database)
    await fill(store)
    for (const sort of [
      ...['name', 'name desc', 'externalId', 'externalId desc', 'isAdmin, name desc', 'enrollmentExpiresAt desc'],
      ...['enrollmentExpiresAt, externalId desc', 'certificateExpiresAt', 'createdAt desc, id desc', 'id', 'id desc'],
    ]) {
      const paging = {
        ...resolvePaging({ sort, limit: 'none', filter: 'name contains "name" and name != "name 4"' }, OPTIONS),
        offset: 1,
      }
      const { reader, counts } = countingReader(store)
      const { result } = await readPage(reader, TABLE, { ...paging, limit: 500 }, ALL)
      const expected = result.map(({ id }) => id)
      assert.equal(expected.length, IDENTITIES - 2)
      counts.length = 0
      const found: string[] = []
      for await (const rows of readAll(reader, TABLE, paging, ALL, { ...PARTS }))
        found.push(...rows.map(({ id }) => id))
      assert.deepEqual(found, expected, sort)
      assert.ok(Math.max(...counts) <= PARTS.ids, `${sort} reads ${counts}`)
    }
  })

  test(`M-15 a list without limit has every row that does not change while others are deleted, on ${database}`, async (t) => {
    const store = await openTestStore(t, database)
    await fill(store)
    const paging = resolvePaging({ sort: 'name', limit: 'none', filter: 'name contains "name"' }, OPTIONS)
    const { reader } = countingReader(store)
    const found: string[] = []
    for await (const rows of readAll(reader, TABLE, paging, ALL, { ...PARTS })) {
      for (const { id, name } of rows) {
        found.push(name)
        await store.run(deleteIdentity, { id }, META)
      }
    }
    assert.deepEqual(found, Array.from({ length: IDENTITIES }, (_, nth) => nameOf(nth)).sort())
  })

  test(`M-15 a list without limit has no row that does not match when it is read, on ${database}`, async (t) => {
    const store = await openTestStore(t, database)
    await fill(store)
    const { reader } = countingReader(store)
    for (const sort of ['name', 'id']) {
      const paging = resolvePaging(
        { sort, limit: 'none', filter: 'disabledAt = null and name contains "name"' },
        OPTIONS,
      )
      const found: Row[] = []
      const hidden: string[] = []
      for await (const rows of readAll(reader, TABLE, paging, ALL, { rows: 2, ids: 4 })) {
        found.push(...rows)
        if (hidden.length > 0) continue
        // The ids after these are known already in the order of names.
        const { result: next } = await readPage(reader, TABLE, { ...paging, offset: 2, limit: 1 }, ALL)
        hidden.push(...next.map(({ id }) => id))
        for (const id of hidden) await store.run(disableIdentity, { id, durationMinutes: 0 }, META)
      }
      const ids = found.map(({ id }) => id)
      assert.deepEqual(
        hidden.map((id) => ids.includes(id)),
        [false],
        sort,
      )
      assert.equal(new Set(ids).size, ids.length)
    }
  })
}
