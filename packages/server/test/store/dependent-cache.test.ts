import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Change, ChangedEntity } from '../../src/store/change.ts'
import { ANY, type DependenciesOf, DependentCache } from '../../src/store/dependent-cache.ts'

interface Value {
  readonly dependencies: Readonly<Partial<Record<ChangedEntity, readonly string[]>>>
}

const ENTITIES = ['identities', 'authPolicies', 'externalJwtSigners', 'apiSessions'] as const
const IDS = ['a', 'b', 'c', 'd']
const itself = (value: Value): Value => value
const DEPENDENCIES: DependenciesOf<Value> = Object.fromEntries(
  ENTITIES.map((entity) => [entity, ({ dependencies }: Value) => dependencies[entity] ?? []]),
)
const newCache = (maxEntries: number) => new DependentCache<Value>(maxEntries, DEPENDENCIES)
const put = (cache: DependentCache<Value>, key: string, value: Value) => cache.load(key, async () => value, itself)
const onIdentity = (id: string): Value => ({ dependencies: { identities: [id] } })
const updated = (entity: ChangedEntity, id: string): Change => ({ entity, id, action: 'updated' })

const anyDependencies = fc
  .uniqueArray(fc.constantFrom(...ENTITIES))
  .chain((entities) =>
    fc.record(
      Object.fromEntries(entities.map((entity) => [entity, fc.array(fc.constantFrom(...IDS, ANY), { maxLength: 3 })])),
    ),
  )
const anyChange = fc.record({
  entity: fc.constantFrom(...ENTITIES),
  id: fc.constantFrom(...IDS),
  action: fc.constantFrom('created', 'updated', 'relabelled', 'deleted'),
})
const anyStep = fc.oneof(
  fc.record({ key: fc.constantFrom(...'123456'), dependencies: anyDependencies }),
  fc.array(anyChange, { maxLength: 3 }),
)

/** What a scan of all entries would drop. */
function isConcerned({ dependencies }: Value, changes: readonly Change[]): boolean {
  return changes.some(({ entity, id, action }) => {
    const ids = dependencies[entity] ?? []
    return (action === 'updated' || action === 'deleted') && (ids.includes(id) || ids.includes(ANY))
  })
}

test('R-21 a change drops exactly the entries that a scan of all entries would drop', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyStep, { maxLength: 40 }), async (steps) => {
      const cache = newCache(100)
      const expected = new Map<string, Value>()
      for (const step of steps) {
        if (Array.isArray(step)) {
          cache.follow(step)
          for (const [key, value] of expected) if (isConcerned(value, step)) expected.delete(key)
        } else {
          await put(cache, step.key, step)
          expected.set(step.key, step)
        }
        for (const key of '123456') assert.equal(cache.get(key), expected.get(key))
      }
      cache.follow('everything')
      assert.deepEqual([cache.size, cache.dependencyCount], [0, 0])
    }),
  )
})

test('R-21 S-12 an entry that leaves the cache leaves no dependency behind', async () => {
  const cache = newCache(10)
  const dependencies = (index: number) => ({ identities: [`${index}`, `${index}`], authPolicies: ['shared'] })
  for (let index = 0; index < 1_000; index++) await put(cache, `${index}`, { dependencies: dependencies(index) })
  assert.deepEqual([cache.size, cache.dependencyCount], [10, 11])
  await put(cache, '999', { dependencies: { identities: ['other'] } })
  assert.deepEqual([cache.size, cache.dependencyCount], [10, 11])
  cache.follow([updated('authPolicies', 'shared')])
  assert.deepEqual([cache.size, cache.dependencyCount], [1, 1])
})

test('R-21 a value is not kept when it changes while it is read, and is kept when others change', async () => {
  const cache = newCache(10)
  const loadDuring = async (key: string, id: string, change: () => void) => {
    const value = onIdentity(id)
    const result = await cache.load(
      key,
      async () => {
        await new Promise((resolve) => setImmediate(resolve))
        change()
        return value
      },
      itself,
    )
    assert.equal(result, value)
    return cache.get(key) !== undefined
  }
  const follow = (id: string) => () => cache.follow([updated('identities', id)])
  assert.equal(await loadDuring('one', 'a', follow('a')), false)
  assert.equal(await loadDuring('one', 'a', follow('b')), true)
  const both = await Promise.all([loadDuring('two', 'c', follow('c')), loadDuring('three', 'd', () => {})])
  assert.deepEqual(both, [false, true])
  assert.equal(await loadDuring('four', 'e', () => cache.follow('everything')), false)
  const flood = Array.from({ length: 2_000 }, (_, index) => updated('identities', `other-${index}`))
  assert.equal(await loadDuring('five', 'f', () => cache.follow(flood)), false, 'too many to remember')
  assert.equal(await loadDuring('five', 'f', () => {}), true)
})
