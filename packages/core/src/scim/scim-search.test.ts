import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AppError } from '../app-error.ts'
import type { JsonValue } from '../json/json-value.ts'
import { scimTypeOf } from './scim-error.ts'
import { SCIM_LIMITS, SCIM_URN } from './scim-schemas.ts'
import { readScimSearch } from './scim-search.ts'

const schemas = [SCIM_URN.search]

test('the body of a search says which part of a list is wanted', () => {
  assert.deepEqual(readScimSearch({ schemas }), {
    filter: undefined,
    startIndex: 1,
    count: SCIM_LIMITS.defaultPage,
    attributes: [],
    excludedAttributes: [],
  })
  const { filter, ...page } = readScimSearch({
    SCHEMAS: schemas.map((name) => name.toUpperCase()),
    filter: 'userName pr',
    startIndex: -3,
    count: 10_000,
    attributes: ['userName'],
    excludedAttributes: 'name',
    sortBy: 'userName',
  })
  assert.deepEqual(filter, { kind: 'present', attribute: 'username' })
  assert.deepEqual(page, {
    startIndex: 1,
    count: SCIM_LIMITS.maxPage,
    attributes: ['userName'],
    excludedAttributes: ['name'],
  })
})

test('a search that is not one is refused with its keyword', () => {
  const cases: [body: JsonValue, scimType: string][] = [
    [[], 'invalidSyntax'],
    [{}, 'invalidSyntax'],
    [{ schemas: [SCIM_URN.list] }, 'invalidSyntax'],
    [{ schemas: [5] }, 'invalidValue'],
    [{ schemas, filter: 5 }, 'invalidFilter'],
    [{ schemas, filter: 'userName' }, 'invalidFilter'],
    [{ schemas, startIndex: '1' }, 'invalidValue'],
    [{ schemas, count: 1.5 }, 'invalidValue'],
    [{ schemas, attributes: [5] }, 'invalidValue'],
  ]
  for (const [body, scimType] of cases) {
    const hasKeyword = (error: unknown) => scimTypeOf(error as AppError) === scimType
    assert.throws(() => readScimSearch(body), hasKeyword, JSON.stringify(body))
  }
})
