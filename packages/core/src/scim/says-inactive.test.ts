import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JsonValue } from '../json/json-value.ts'
import { saysInactive } from './says-inactive.ts'

test('V-15 a departure is found in a request that cannot be read', () => {
  const patch = (...Operations: JsonValue[]): JsonValue => ({ Operations })
  const leaving = { op: 'Replace', path: 'active', value: 'False' }
  const broken = { op: 'replace', path: '][', value: 1 }
  const cases: [body: JsonValue | undefined, isSaid: boolean][] = [
    [{ userName: '\u200b', active: false }, true],
    [{ userName: 5, ACTIVE: 'false' }, true],
    [{ active: true }, false],
    [{ userName: 5, active: [{ value: 'False' }] }, true],
    [{ userName: 5, active: [{ value: 'True' }] }, false],
    [{ userName: 5, active: ['False', 'True'] }, false],
    [{ userName: 'alice' }, false],
    [[], false],
    [undefined, false],
    [patch(leaving), true],
    [patch(broken, leaving, broken), true],
    [patch({ op: 'replace', value: { active: false, displayName: '\u200b' } }), true],
    [patch(leaving, { op: 'add', path: 'active', value: true }), false],
    [patch({ op: 'remove', path: 'active' }), false],
    [patch(broken), false],
  ]
  for (const [body, isSaid] of cases) assert.equal(saysInactive(body), isSaid, JSON.stringify(body))
})
