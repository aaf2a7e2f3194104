import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bool, Computed, int, Joined, jsonOrNull, named, Packed, text } from '../../src/store/columns/column.ts'
import { createReader, createWriter, listColumns } from '../../src/store/columns/column-map.ts'

interface Entity {
  readonly name: string
  readonly jwksCaPem: string
  readonly enabled: boolean
  readonly scopes: readonly string[] | null
  readonly inner: { readonly deep: { readonly count: number } }
  readonly cost: number
  readonly weight: string
}

const MAP = {
  name: text(),
  jwksCaPem: text(),
  enabled: bool(),
  scopes: jsonOrNull<readonly string[]>(),
  inner: { deep: { count: named('inner_count', int()) } },
  cost: new Packed<number>('packed'),
  weight: new Packed<string>('packed'),
}

const ENTITY: Entity = {
  name: 'n',
  jwksCaPem: 'pem',
  enabled: true,
  scopes: ['a'],
  inner: { deep: { count: 3 } },
  cost: 7,
  weight: 'w',
}

const ROW = {
  name: 'n',
  jwks_ca_pem: 'pem',
  enabled: true,
  scopes: '["a"]',
  inner_count: 3,
  packed: '{"cost":7,"weight":"w"}',
}

test('a map writes the columns of an entity and reads it back', () => {
  assert.deepEqual(createWriter(MAP)(ENTITY), ROW)
  assert.deepEqual(createReader(MAP)(ROW), ENTITY)
  const unset = { ...ENTITY, enabled: false, scopes: null }
  assert.deepEqual(createReader(MAP)({ ...ROW, enabled: 0, scopes: null }), unset)
  assert.deepEqual(createWriter(MAP)(unset), { ...ROW, enabled: false, scopes: null })
})

test('members in several columns or in other tables are read through the map and not written', () => {
  const map = {
    id: text(),
    both: new Computed(({ first, second }: { first: string; second: string }) => first + second),
    attributes: new Joined<readonly string[]>(),
  }
  const read = createReader(map)
  assert.deepEqual(read({ id: 'i', first: 'a', second: 'b' }, { attributes: ['x'] }), {
    id: 'i',
    both: 'ab',
    attributes: ['x'],
  })
  assert.deepEqual(createWriter(map)({ id: 'i', both: 'ab', attributes: ['x'] }), { id: 'i' })
})

test('columns are listed by the path of their member, with their names', () => {
  assert.deepEqual(
    listColumns(MAP).map(([member, name]) => [member, name]),
    [
      ['name', 'name'],
      ['jwksCaPem', 'jwks_ca_pem'],
      ['enabled', 'enabled'],
      ['scopes', 'scopes'],
      ['inner.deep.count', 'inner_count'],
    ],
  )
})
