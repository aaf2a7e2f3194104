import assert from 'node:assert/strict'
import { test } from 'node:test'
import { buildTable } from '../src/output/fit-table.ts'

const COLUMNS = ['name', 'issuer', 'id'].map((title) => ({
  title: title.toUpperCase(),
  get: (row: Record<string, unknown>) => row[title],
}))
const ROWS = [
  { name: 'one', issuer: 'https://sso.example.com/realms/a-long-name', id: 'a' },
  { name: 'two', issuer: ['x', 'y'], id: true },
]

test('a table without a width limit is not truncated', () => {
  assert.deepEqual(buildTable(ROWS, COLUMNS), [
    'NAME  ISSUER                                      ID',
    'one   https://sso.example.com/realms/a-long-name  a',
    'two   x,y                                         yes',
  ])
})

test('in a narrow terminal the longest cells are truncated and no line is too long', () => {
  assert.deepEqual(buildTable(ROWS, COLUMNS, 30), [
    'NAME  ISSUER               ID',
    'one   https://sso.exampl…  a',
    'two   x,y                  yes',
  ])
  for (let columns = 1; columns < 60; columns++) {
    for (const line of buildTable(ROWS, COLUMNS, columns)) assert.ok(line.length <= columns, `${columns}: ${line}`)
  }
})

test('wide characters count twice', () => {
  const [, line = ''] = buildTable([{ name: '日本語の名前', issuer: 'x', id: 'y' }], COLUMNS, 20)
  assert.equal(line, '日本語…   x       y')
})
