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

const ID = '01J9Z8Y7X6W5V4U3T2S1R0Q9P8'
const WITH_ID = COLUMNS.map((column) => ({ ...column, isWhole: column.title === 'ID' }))

test('ids are whole at every width, and the first column stays beside them', () => {
  const rows = [{ name: 'a-long-name-of-an-identity', issuer: 'https://sso.example.com/realms/a-long-name', id: ID }]
  for (let columns = 1; columns < 100; columns++) {
    const lines = buildTable(rows, WITH_ID, columns)
    for (const line of lines) assert.match(line, / {2}(ID|01J9Z8Y7X6W5V4U3T2S1R0Q9P8)$/)
    if (columns > ID.length + 2)
      assert.ok(
        lines.every((line) => line.length <= columns),
        `${columns}: ${lines}`,
      )
  }
  assert.deepEqual(buildTable(rows, WITH_ID, 40), ['NAME          ID', `a-long-name…  ${ID}`])
})
