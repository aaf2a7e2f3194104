import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkTags, toTagRows, toTags } from './tags.ts'

test('unchanged tags keep their values, also values that are not text', () => {
  const tags = { text: 'x', number: 1.5, no: false, nothing: null, digits: '1' }
  assert.deepEqual(toTags(toTagRows(tags)), tags)
  const [first, ...rest] = toTagRows({ number: 1.5, no: false })
  assert.deepEqual(toTags([{ ...first, name: ' number ', value: '2' }, ...rest]), { number: '2', no: false })
})

test('checkTags applies the limits of the server', () => {
  const row = (name: string, value = '') => ({ name, value })
  assert.equal(checkTags([row('a'), row('b')]), null)
  assert.match(checkTags([row('a'), row(' a ')]) ?? '', /twice/)
  assert.match(checkTags([row(' ')]) ?? '', /needs a name/)
  assert.equal(checkTags([row('n'.repeat(128), 'v'.repeat(2048))]), null)
  assert.match(checkTags([row('n'.repeat(129))]) ?? '', /128/)
  assert.match(checkTags([row('n', 'v'.repeat(2049))]) ?? '', /2048/)
  const many = Array.from({ length: 101 }, (_, at) => row(`t${at}`))
  assert.match(checkTags(many) ?? '', /100/)
  assert.equal(checkTags(many.slice(1)), null)
})
