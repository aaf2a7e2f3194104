import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FilterOptions } from './filter.ts'
import { parseSort } from './parse-sort.ts'

const options: FilterOptions = {
  symbols: new Map([
    ['id', 'string'],
    ['name', 'string'],
    ['enabled', 'bool'],
    ['createdAt', 'datetime'],
    ['primary.cert.allowed', 'bool'],
    ['roleAttributes', 'set'],
  ]),
  tags: true,
}

const written = (text: string) =>
  parseSort(text, options).map((field) => `${field.symbol}${field.descending ? '-' : '+'}`)
const refused = (text: string, message?: string) =>
  assert.throws(() => parseSort(text, options), {
    code: 'INVALID_SORT_IDENTIFIER',
    ...(message && { publicCause: { message } }),
  })

test('reads fields and directions', () => {
  assert.deepEqual(written(''), [])
  assert.deepEqual(written('name'), ['name+'])
  assert.deepEqual(written('name asc,createdAt desc'), ['name+', 'createdAt-'])
  assert.deepEqual(written('name  ASC , createdAt DESC'), ['name+', 'createdAt-'])
  assert.deepEqual(written("primary.cert.allowed desc,'id'"), ['primary.cert.allowed-', 'id+'])
})

test('uses the first five fields, but validates all', () => {
  assert.deepEqual(written('id,name,enabled,createdAt,id desc,name desc'), [
    'id+',
    'name+',
    'enabled+',
    'createdAt+',
    'id-',
  ])
  refused('id,name,enabled,createdAt,id,nope', "unknown symbol 'nope'")
})

test('M-18 refuses unknown and hidden columns, statements, and sets', () => {
  refused('nope', "unknown symbol 'nope'")
  refused('updbPassword')
  refused('-name')
  refused('id;drop')
  refused('id;drop table identities')
  refused('name asc desc')
  refused('name createdAt')
  refused('name,')
  refused(',name')
  refused('name"')
  refused('1')
  refused('(name)')
  refused('tags.x', "unknown symbol 'tags.x'")
  refused('roleAttributes')
  refused('Name')
  refused(Array.from({ length: 50 }, (_, index) => `c${'x'.repeat(index)}`).join(','))
  assert.equal(written(Array(50).fill('id').join(',')).length, 5)
})

test('M-18 limits the length', () => {
  assert.deepEqual(written(`name${' '.repeat(1020)}`), ['name+'])
  refused(`name${' '.repeat(1021)}`)
})
