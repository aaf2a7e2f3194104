import assert from 'node:assert/strict'
import { test } from 'node:test'
import { searchFilter } from './search-filter.ts'

test('searchFilter matches any of the fields and escapes the text', () => {
  assert.equal(searchFilter(['name'], '  '), undefined)
  assert.equal(searchFilter(['name', 'issuer'], ' acme '), 'name icontains "acme" or issuer icontains "acme"')
  assert.equal(searchFilter(['name'], 'a" or true or name = "\\'), 'name icontains "a\\" or true or name = \\"\\\\"')
  assert.equal(searchFilter(['name'], 'a\n\t\r\fb'), 'name icontains "a\\n\\t\\r\\fb"')
})
