import assert from 'node:assert/strict'
import { test } from 'node:test'
import { selectItems } from '../src/hosted/select-items.ts'

const ITEMS = [
  { id: '2', name: 'beta', active: true, usage: { networks: 3 }, createdAt: '2026-02-01T00:00:00Z', lastUsedAt: null },
  {
    id: '1',
    name: 'alpha',
    active: false,
    usage: { networks: 7 },
    createdAt: '2026-01-01T00:00:00Z',
    lastUsedAt: null,
  },
  { id: '3', name: 'gamma', active: true, usage: { networks: 1 }, createdAt: { epochSecond: 1_794_990_173 } },
]

function select(filter: string, sort?: string, limit?: number): string {
  return selectItems(ITEMS, { filter, sort, limit })
    .map(({ id }) => id)
    .join('')
}

test('lists of the hosted API are filtered, sorted and limited in the language of the controller', () => {
  assert.equal(select(''), '213', 'their own order')
  assert.equal(select('', undefined, 2), '21')
  assert.equal(select('active = true'), '23', 'their own order')
  assert.equal(select('', 'name'), '123')
  assert.equal(select('', 'usage.networks desc', 2), '12')
  assert.equal(select('usage.networks > 1 and name contains "a"', 'name desc'), '21')
  assert.equal(select('createdAt < datetime(2026-01-15T00:00:00Z)'), '1')
  assert.equal(select('', 'createdAt desc', 1), '3', 'a time of the hosted API')
  assert.equal(select('lastUsedAt = null', 'name'), '123')
  assert.equal(select('true sort by name desc limit 1'), '3')
})

test('a filter or an order that is not one is a usage error, with the members', () => {
  const usage = { exitCode: 2, hint: 'members are id, name, active, usage.networks, createdAt, lastUsedAt' }
  assert.throws(() => select('nothing = 1'), usage)
  assert.throws(() => select('name ='), usage)
  assert.throws(() => select('', 'nothing'), usage)
})
