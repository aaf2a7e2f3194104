import assert from 'node:assert/strict'
import { test } from 'node:test'
import { quote, searchFilter } from './list.ts'

test('a search looks in each of the fields, and nothing typed ends its text', () => {
  assert.equal(searchFilter(['name'], '  '), undefined)
  assert.equal(searchFilter(['name', 'issuer'], ' acme '), 'name icontains "acme" or issuer icontains "acme"')
  assert.equal(quote('a" or true or name = "\\'), '"a\\" or true or name = \\"\\\\"')
  assert.equal(quote('a\n\t\r\f'), '"a\\n\\t\\r\\f"')
})
