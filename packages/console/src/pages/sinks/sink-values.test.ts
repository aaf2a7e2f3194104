import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fromSink, sinkRules, toSink } from './sink-values.ts'

test('a new sink has no filter, and no secret unless one is given', () => {
  const values = { ...fromSink(), name: 'a', url: ' https://a.example ' }
  const { filter, url, ...body } = toSink(values)
  assert.deepEqual([filter, url, 'secret' in body], [null, 'https://a.example', false])
  assert.equal(toSink({ ...values, secret: 'whsec_x' }).secret, 'whsec_x')
  assert.equal(toSink({ ...values, kind: 'file' }).url, '')
})

test('a filter has the parts that are set', () => {
  assert.deepEqual(toSink({ ...fromSink(), types: ['authentication'] }).filter, { types: ['authentication'] })
})

test('a webhook needs a URL, a file does not', () => {
  assert.ok(sinkRules.url('', fromSink()))
  assert.equal(sinkRules.url('', { ...fromSink(), kind: 'file' }), null)
})
