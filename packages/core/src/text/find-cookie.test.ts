import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findCookie } from './find-cookie.ts'

test('finds the only cookie of a name, and none that is empty, duplicate, or of another name', () => {
  assert.equal(findCookie('a=1; __Host-x=2;b=3', '__Host-x'), '2')
  assert.equal(findCookie('x=a=b', 'x'), 'a=b')
  for (const header of ['', 'y=1', 'x=', 'x=1; x=2', 'xx=1', 'y=x=1', 'X=1']) {
    assert.equal(findCookie(header, 'x'), undefined, header)
  }
})
