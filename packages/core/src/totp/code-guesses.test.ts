import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addWrongCode, type CodeGuesses, NO_CODE_GUESSES } from './code-guesses.ts'

const NOW = 1_900_000_000_000
const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS

function addWrongCodes(guesses: CodeGuesses, count: number, now: number): CodeGuesses {
  return Array.from({ length: count }).reduce((sum: CodeGuesses) => addWrongCode(sum, now), guesses)
}

test('D37 the tenth wrong code within five minutes locks for five minutes', () => {
  const nine = addWrongCodes(NO_CODE_GUESSES, 9, NOW)
  assert.deepEqual([nine.wrongAt.length, nine.lockedUntil, nine.locks], [9, 0, 0])
  assert.deepEqual(addWrongCode(nine, NOW + 5 * MINUTE_MS - 1), {
    wrongAt: [],
    lockedUntil: NOW + 10 * MINUTE_MS - 1,
    locks: 1,
  })
  assert.equal(addWrongCode(nine, NOW + 5 * MINUTE_MS).lockedUntil, 0, 'the nine are forgotten')
})

test('R-07 each lock in a row takes twice as long, up to eight hours', () => {
  let guesses = NO_CODE_GUESSES
  let now = NOW
  const minutes: number[] = []
  for (let lock = 0; lock < 9; lock++) {
    guesses = addWrongCodes(guesses, 10, now)
    minutes.push((guesses.lockedUntil - now) / MINUTE_MS)
    now = guesses.lockedUntil
  }
  assert.deepEqual(minutes, [5, 10, 20, 40, 80, 160, 320, 480, 480])
  assert.equal(addWrongCodes(guesses, 10, now + DAY_MS - 1).locks, 10, 'less than a day after the last one')
  const later = addWrongCodes(guesses, 10, now + DAY_MS)
  assert.deepEqual([later.locks, later.lockedUntil], [1, now + DAY_MS + 5 * MINUTE_MS], 'a day after the last one')
})
