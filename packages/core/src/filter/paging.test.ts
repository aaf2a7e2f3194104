import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { FilterOptions } from './filter.ts'
import { type ListParameters, resolvePaging } from './paging.ts'

const options: FilterOptions = {
  symbols: new Map([
    ['id', 'string'],
    ['name', 'string'],
  ]),
  tags: false,
}

const page = (parameters: ListParameters) => {
  const { limit, offset } = resolvePaging(parameters, options)
  return [limit, offset]
}
const sorted = (parameters: ListParameters) =>
  resolvePaging(parameters, options).sort.map((field) => `${field.symbol}${field.descending ? '-' : '+'}`)

describe('resolvePaging', () => {
  const PAGES: readonly (readonly [parameters: ListParameters, limit: number | 'none', offset: number])[] = [
    [{}, 10, 0],
    [{ limit: '', offset: '' }, 10, 0],
    [{ limit: '0' }, 10, 0],
    [{ limit: '-2' }, 10, 0],
    [{ limit: '-9223372036854775808' }, 10, 0],
    [{ limit: '-1' }, 'none', 0],
    [{ limit: 'none' }, 'none', 0],
    [{ filter: 'limit none' }, 'none', 0],
    [{ filter: 'true limit -1' }, 'none', 0],
    [{ limit: '7' }, 7, 0],
    [{ limit: '+7' }, 7, 0],
    [{ limit: '500' }, 500, 0],
    [{ limit: '501' }, 500, 0],
    [{ limit: '9223372036854775807' }, 500, 0],
    [{ limit: '900', maxLimit: 1000 }, 900, 0],
    [{ maxLimit: 5 }, 5, 0],
    [{ offset: '3' }, 10, 3],
    [{ offset: '-3' }, 10, 0],
    [{ offset: '100000' }, 10, 100000],
    [{ offset: '100001' }, 10, 100000],
    [{ offset: '9223372036854775807' }, 10, 100000],
    [{ filter: 'true limit 2', limit: '5', offset: '3' }, 2, 3],
    [{ filter: 'true skip 4', limit: '5', offset: '3' }, 5, 4],
    [{ filter: 'skip -4 limit 501', limit: '5', offset: '3' }, 500, 0],
    [{ filter: 'limit 0', limit: '5' }, 10, 0],
  ]
  for (const [parameters, limit, offset] of PAGES) {
    test(`M-15 ${JSON.stringify(parameters)} is limit ${limit} offset ${offset}`, () => {
      assert.deepEqual(page(parameters), [limit, offset])
    })
  }

  for (const text of [
    'abc',
    '5.5',
    '1e9',
    'NaN',
    '1'.repeat(20),
    '9223372036854775808',
    '-',
    '+',
    ' 5',
    '0x10',
    '٣',
    'None',
  ]) {
    test(`M-15 refuses ${JSON.stringify(text)} as limit and as offset`, () => {
      for (const field of ['limit', 'offset']) {
        assert.throws(() => page({ [field]: text }), {
          code: 'COULD_NOT_VALIDATE',
          publicCause: { field, reason: `${field} in query must be of type int64: "${text}"`, value: text },
        })
      }
    })
  }

  test('D36 M-15 truncates a long limit in the error', () => {
    assert.throws(
      () => page({ limit: 'x'.repeat(5000) }),
      (error: Error) => error.message.length < 300,
    )
    assert.throws(() => page({ offset: 'none' }), { code: 'COULD_NOT_VALIDATE' })
  })

  test('M-15 limits an unlimited request to the largest page when unlimited lists are not allowed', () => {
    const limited = { ...options, allowUnlimited: false }
    assert.equal(resolvePaging({ limit: '-1' }, limited).limit, 500)
    assert.equal(resolvePaging({ filter: 'limit none' }, limited).limit, 500)
    assert.equal(resolvePaging({ limit: '-1' }, options).limit, 'none')
  })

  test('a list can be unlimited when the request names no limit, but not when it names an invalid one', () => {
    const unlimited = { ...options, defaultLimit: 'none' } as const
    assert.equal(resolvePaging({}, unlimited).limit, 'none')
    assert.equal(resolvePaging({ limit: '0' }, unlimited).limit, 10)
    assert.equal(resolvePaging({ limit: '7' }, unlimited).limit, 7)
    assert.equal(resolvePaging({ limit: '0' }, { ...options, defaultLimit: 25 }).limit, 25)
  })

  test('appends id to every sort order that does not contain it', () => {
    assert.deepEqual(sorted({}), ['id+'])
    assert.deepEqual(sorted({ sort: 'name  desc' }), ['name-', 'id+'])
    assert.deepEqual(sorted({ sort: 'id desc,name' }), ['id-', 'name+'])
    assert.deepEqual(sorted({ sort: 'name desc', filter: 'true sort by name asc' }), ['name+', 'id+'])
  })

  test('refuses an invalid filter and an invalid sort', () => {
    assert.throws(() => page({ filter: 'nope = 1' }), { code: 'INVALID_FILTER' })
    assert.throws(() => page({ sort: 'nope' }), { code: 'INVALID_SORT_IDENTIFIER' })
    assert.deepEqual(page({ filter: 'name = 1', sort: 'name' }), [10, 0])
  })
})
