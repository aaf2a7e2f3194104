import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fromLocalTime, toLocalTime } from './local-time.ts'

test('a time of the form is the same instant', () => {
  const instant = '2027-03-04T05:06:00.000Z'
  assert.equal(fromLocalTime(toLocalTime(instant)), instant)
  assert.match(toLocalTime(instant), /^2027-03-0\dT\d\d:\d\d$/)
})

test('an empty or unreadable value is none', () => {
  for (const none of [null, undefined, '', 'x']) assert.equal(toLocalTime(none), '')
  for (const none of ['', 'x']) assert.equal(fromLocalTime(none), null)
})
