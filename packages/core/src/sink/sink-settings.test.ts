import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError } from '../app-error.ts'
import { patchedSink, replacedSink, sinkDestination, sinkFromBody, validateSink } from './sink-settings.ts'

const WEBHOOK = { name: 'siem', kind: 'webhook', url: 'https://siem.example/in' } as const

const refusalOf = (work: () => void): string | undefined => {
  try {
    work()
    return undefined
  } catch (error) {
    assert.ok(error instanceof AppError)
    assert.ok(error.publicCause && 'field' in error.publicCause)
    return error.publicCause.field
  }
}

test('a new sink is enabled, sends JSON and has no filter', () => {
  const { enabled, format, filter, url } = sinkFromBody(WEBHOOK)
  assert.deepEqual({ enabled, format, filter, url }, { enabled: true, format: 'json', filter: null, url: WEBHOOK.url })
})

test('empty parts of a filter restrict nothing', () => {
  const filter = { types: [], signers: ['a', 'a'], outcomes: ['fail' as const] }
  assert.deepEqual(sinkFromBody({ ...WEBHOOK, filter }).filter, { signers: ['a'], outcomes: ['fail'] })
  assert.equal(sinkFromBody({ ...WEBHOOK, filter: { types: [] } }).filter, null)
})

test('a PUT keeps the filter that it does not name; null clears it', () => {
  const current = sinkFromBody({ ...WEBHOOK, filter: { types: ['authentication'] }, tags: { a: 1 } })
  assert.deepEqual(replacedSink(current, WEBHOOK).filter, { types: ['authentication'] })
  assert.equal(replacedSink(current, { ...WEBHOOK, filter: null }).filter, null)
  assert.equal(patchedSink(current, {}), current)
  assert.equal(patchedSink(current, { enabled: false }).enabled, false)
})

test('webhooks and OTLP logs need a url; a file has none', () => {
  assert.equal(
    refusalOf(() => validateSink(sinkFromBody(WEBHOOK))),
    undefined,
  )
  assert.equal(
    refusalOf(() => validateSink(sinkFromBody({ name: 'a', kind: 'otlp' }))),
    'url',
  )
  assert.equal(
    refusalOf(() => validateSink(sinkFromBody({ ...WEBHOOK, kind: 'file' }))),
    'url',
  )
  assert.equal(
    refusalOf(() => validateSink(sinkFromBody({ name: 'a', kind: 'file' }))),
    undefined,
  )
  assert.equal(
    refusalOf(() => validateSink(sinkFromBody({ ...WEBHOOK, name: ' ' }))),
    'name',
  )
})

test('the name of a file has no path', () => {
  for (const name of ['a', 'a.b', 'events_2', 'A-1', 'x'.repeat(64)]) {
    assert.equal(
      refusalOf(() => validateSink(sinkFromBody({ name, kind: 'file' }))),
      undefined,
      name,
    )
  }
  const refused = [
    '../a',
    'a/b',
    'a\\b',
    '.a',
    'a.',
    '-a',
    'a..b',
    'a b',
    'ä',
    'x'.repeat(65),
    'a\0',
    '/etc/passwd',
    '..',
  ]
  for (const name of refused) {
    assert.equal(
      refusalOf(() => validateSink(sinkFromBody({ name, kind: 'file' }))),
      'name',
      name,
    )
  }
})

test('the destination of a secret is the kind with the url', () => {
  assert.equal(sinkDestination(WEBHOOK), 'webhook https://siem.example/in')
  assert.equal(sinkDestination({ kind: 'file', url: null }), 'file ')
})
