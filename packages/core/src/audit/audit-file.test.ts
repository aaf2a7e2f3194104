import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AUDIT_FILE_FORMAT, AuditFileError, readAuditFile, readSinkHeads } from './audit-file.ts'
import { canonicalJson } from './canonical-json.ts'

const HEADER = { format: AUDIT_FILE_FORMAT, exportedAt: '', keys: [], heads: [], anchors: [] }
const ENTRY = { node: 'one', sequence: 1 }

test('a file has a header, and an entry on each further line', () => {
  const { entries, header } = readAuditFile([JSON.stringify(HEADER), JSON.stringify(ENTRY), '', ''])
  assert.deepEqual([header, [...entries]], [HEADER, [ENTRY]])
})

test('what is not an export is refused with its line', () => {
  const line = JSON.stringify(HEADER)
  const refused: [string, RegExp][] = [
    ['', /line 1/],
    ['{}', /line 1/],
    [JSON.stringify({ ...HEADER, heads: {} }), /line 1/],
    [JSON.stringify({ ...HEADER, heads: [null] }), /line 1/],
    [JSON.stringify({ ...HEADER, anchors: [{ node: 'one', sequence: '1' }] }), /line 1/],
    [JSON.stringify({ ...HEADER, keys: [null] }), /line 1/],
    [`${line}\n[]`, /line 2/],
    [`${line}\n{"node":1,"sequence":1}`, /line 2/],
    [`${line}\n${JSON.stringify(ENTRY)}\n{"node":"one","sequence":"1"}`, /line 3/],
    [`${line}\nnot json`, /line 2/],
  ]
  for (const [text, message] of refused) {
    assert.throws(
      () => [...readAuditFile(text.split('\n')).entries],
      (error) => error instanceof AuditFileError && message.test(error.message),
      text,
    )
  }
})

test('heads are read from what a sink has received, in either format', () => {
  const head = { node: 'one', sequence: 2, hash: 'h', signature: 's' }
  const lines = [
    JSON.stringify({ event_id: 'a', namespace: 'auditHead', ...head }),
    JSON.stringify({ specversion: '1.0', data: { namespace: 'auditHead', ...head, sequence: 3 } }),
    JSON.stringify({ namespace: 'authentication' }),
    JSON.stringify({ namespace: 'auditHead', node: 1 }),
    '{"event_id":"b","namespace":"auditHead","no',
    JSON.stringify({ namespace: 'eventSink', message: 'about "auditHead"', kind: 'auditHead' }),
    'torn',
    '',
  ]
  assert.deepEqual(readSinkHeads(lines), [head, { ...head, sequence: 3 }])
})

test('canonical JSON has sorted names and no undefined members', () => {
  assert.equal(
    canonicalJson({ b: [1, undefined, { d: 'ü', c: null }], a: undefined, A: 1e21 }),
    '{"A":1e+21,"b":[1,null,{"c":null,"d":"ü"}]}',
  )
  assert.equal(canonicalJson(undefined), 'null')
})
