import assert from 'node:assert/strict'
import { test } from 'node:test'
import { suggest } from '../src/suggest.ts'

const FLAGS = ['--port', '--profile', '--output', '--filter', '--no-dev']

test('a misspelt word suggests the nearest candidates, and a strange one none', () => {
  const cases: readonly (readonly [word: string, expected: string[]])[] = [
    ['--prot', ['--port']],
    ['--fliter', ['--filter']],
    ['--outptu', ['--output']],
    ['--prof', ['--profile']],
    ['--completely-other', []],
    ['x', []],
  ]
  for (const [word, expected] of cases) assert.deepEqual(suggest(word, FLAGS), expected, word)
  assert.deepEqual(suggest('lst', ['list', 'show', 'list']), ['list'])
  assert.deepEqual(suggest('a', []), [])
})
