import assert from 'node:assert/strict'
import { test } from 'node:test'
import { buildEnrolledName, findCounter, withCounter, withIdentityId } from './enrolled-name.ts'

const PARTS = { caName: 'Corp', caId: 'c1', commonName: 'laptop-17', requestedName: 'desk', identityId: 'i1' }

test('W-86 placeholders are filled in once, in any number, and others stay', () => {
  const names: readonly (readonly [string, string])[] = [
    ['[caName]-[commonName]', 'Corp-laptop-17'],
    ['[requestedName]', 'desk'],
    ['[nope]-[commonName]', '[nope]-laptop-17'],
    ['[caName]~[caId]~[commonName]~[requestedName]~[identityId]', 'Corp~c1~laptop-17~desk~i1'],
    ['[caName][caName]', 'CorpCorp'],
    ['[CANAME] [constructor]', '[CANAME] [constructor]'],
    ['fixed', 'fixed'],
  ]
  for (const [format, expected] of names) assert.equal(buildEnrolledName(format, PARTS), expected)
  const hostile = { ...PARTS, commonName: '[identityId]"' }
  assert.equal(buildEnrolledName('[commonName]', hostile), '[identityId]"', 'a value is not filled in again')
})

test('W-86 a counter is appended to the original name, which leaves room for it', () => {
  assert.equal(withCounter('fixed', 2), 'fixed000002')
  assert.equal(findCounter('fixed', 'fixed000002'), 2)
  for (const other of ['fixed', 'fixed00002', 'fixed0000021', 'fixed00000x', 'other000002']) {
    assert.equal(findCounter('fixed', other), undefined, other)
  }
  assert.equal(withIdentityId('fixed', 'i1'), 'fixed-i1')
  assert.equal(withIdentityId('x'.repeat(250), 'i'.repeat(22)).length, 256)
  assert.equal(buildEnrolledName('x'.repeat(500), PARTS).length, 250)
  assert.equal(buildEnrolledName(`${'x'.repeat(249)}😀`, PARTS), 'x'.repeat(249), 'no half of a character')
  assert.equal(buildEnrolledName('[commonName]', { ...PARTS, commonName: '' }), 'i1')
})
