import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError } from '../app-error.ts'
import { readTags } from './read-tags.ts'

const refuses = (tags: Record<string, string>) =>
  assert.throws(
    () => readTags('tags', tags),
    (error) => error instanceof AppError && error.code === 'COULD_NOT_VALIDATE',
  )

test('W-25 keeps scalar values and ignores objects and arrays', () => {
  const given = { text: 'x', number: 1.5, no: false, nothing: null, object: { a: 1 }, list: [1] }
  assert.deepEqual(readTags('tags', given), { text: 'x', number: 1.5, no: false, nothing: null })
})

test('M-13 a tag with the name of an Object.prototype member is a tag', () => {
  const tags = readTags('tags', JSON.parse('{"constructor":"x","toString":"y"}'))
  assert.deepEqual(Object.entries(tags), [
    ['constructor', 'x'],
    ['toString', 'y'],
  ])
})

test('L-04 limits the number, length and characters of tags', () => {
  const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`t${at}`, '']))
  refuses(many(101))
  assert.equal(Object.keys(readTags('tags', many(100))).length, 100)
  refuses({ ['n'.repeat(129)]: '' })
  refuses({ a: 'v'.repeat(2049) })
  refuses({ 'a\nb': '' })
  refuses({ a: 'x\u202e' })
  assert.deepEqual(
    readTags('tags', { ['n'.repeat(128)]: 'v'.repeat(2048), note: 'two\r\n\tlines' }).note,
    'two\r\n\tlines',
  )
})

test('M-15 limits the length of all tags together', () => {
  const long = (last: number) => ({
    ...Object.fromEntries(Array.from({ length: 7 }, (_, at) => [`t${at}`, 'v'.repeat(2_048)])),
    last: 'v'.repeat(last),
  })
  const room = 16_384 - JSON.stringify(long(0)).length
  assert.equal(JSON.stringify(readTags('tags', long(room))).length, 16_384)
  refuses(long(room + 1))
})
