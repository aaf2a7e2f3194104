import assert from 'node:assert/strict'
import { test } from 'node:test'
import { expandVariables, matchesLines, parseScript } from './script.ts'

test('a script is parsed into steps', () => {
  const steps = parseScript('# why\n$ echo a\na\n! b\n? 3\n\n& countersign up\n& stop\n')
  assert.deepEqual(steps, [
    { line: 2, kind: 'run', command: 'echo a', stdout: ['a'], stderr: ['b'], exitCode: 3 },
    { line: 7, kind: 'start', command: 'countersign up', stdout: [], stderr: [], exitCode: 0 },
    { line: 8, kind: 'stop', command: 'stop', stdout: [], stderr: [], exitCode: 0 },
  ])
  assert.throws(() => parseScript('a\n$ echo a'), TypeError)
})

test('expected lines match only what they describe', () => {
  const cases: readonly (readonly [expected: string[], good: string[], bad: string[]])[] = [
    [[], [], ['a']],
    [['a'], ['a'], ['b']],
    [['a'], ['a'], []],
    [['a'], ['a'], ['a', 'b']],
    [['a[..]c'], ['abc'], ['abd']],
    [['[..]b[..]'], ['abc'], ['aac']],
    [['a[..]a'], ['aa'], ['a']],
    [
      ['...', 'b'],
      ['a', 'a', 'b'],
      ['a', 'b', 'a'],
    ],
    [['a', '...'], ['a'], ['b']],
    [['...', 'b', '...'], ['b'], ['a']],
  ]
  for (const [expected, good, bad] of cases) {
    assert.equal(matchesLines(expected, good), true, `${expected} should match ${good}`)
    assert.equal(matchesLines(expected, bad), false, `${expected}: ${bad}`)
  }
})

test('known variables are replaced, others are left', () => {
  assert.equal(expandVariables('$PORT and $OTHER', { PORT: '1' }), '1 and $OTHER')
})
