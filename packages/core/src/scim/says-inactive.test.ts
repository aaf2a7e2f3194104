import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JsonValue } from '../json/json-value.ts'
import { saysInactive } from './says-inactive.ts'

const said = (text: string) => saysInactive(Buffer.from(text))

test('V-15 a departure is found in a request that cannot be read', () => {
  const patch = (...Operations: JsonValue[]): JsonValue => ({ Operations })
  const leaving = { op: 'Replace', path: 'active', value: 'False' }
  const broken = { op: 'replace', path: '][', value: 1 }
  const urn = 'urn:ietf:params:scim:schemas:core:2.0:User'
  const cases: [body: JsonValue, isSaid: boolean][] = [
    [{ userName: '\u200b', active: false }, true],
    [{ userName: 5, ACTIVE: 'false' }, true],
    [{ active: true }, false],
    [{ userName: 5, active: [{ value: 'False' }] }, true],
    [{ userName: 5, active: [{ value: 'True' }] }, false],
    [{ userName: 5, active: ['False', 'True'] }, false],
    [{ userName: 'alice' }, false],
    [{ title: 'a', Title: 'b', active: false }, true],
    [{ active: false, Active: true }, true],
    [{ [urn]: { active: false }, active: true }, true],
    [{ [`${urn}:active`]: false }, true],
    [{ extension: { active: false } }, false],
    [{ displayName: '"active":false' }, false],
    [[], false],
    [patch(leaving), true],
    [patch(broken, leaving, broken), true],
    [patch(null, leaving), true],
    [patch({ op: 'replace', value: { active: false, displayName: '\u200b' } }), true],
    [patch({ op: 'replace', value: { active: false, '][': 1 } }), true],
    [patch({ op: 'replace', path: urn, value: { active: false } }), true],
    [patch(leaving, { op: 'add', path: 'active', value: true }), false],
    [patch({ op: 'remove', path: 'active' }), false],
    [patch({ op: 'remove', path: 'active', value: false }), false],
    [patch(broken), false],
  ]
  for (const [body, isSaid] of cases) assert.equal(said(JSON.stringify(body)), isSaid, JSON.stringify(body))
})

test('V-15 a departure is found in texts that the strict parser refuses', () => {
  const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`
  const members = [
    '"a":"\\ud83d"',
    '"a":"\\u0000"',
    `"a":"${'x'.repeat(70_000)}"`,
    '"a":12345678901234567890',
    '"a":1e999',
    '"a":1,"a":2',
    '"__proto__":{"active":true}',
    `"a":${deep}`,
  ]
  for (const member of members) {
    for (const [active, isSaid] of [
      ['false', true],
      ['true', false],
    ] as const) {
      assert.equal(said(`{${member},"active":${active}}`), isSaid, member.slice(0, 40))
      assert.equal(said(`{"Operations":[{"op":"replace","value":{"active":${active},${member}}}]}`), isSaid)
      assert.equal(said(`{"Operations":[{"op":"replace","path":"active","value":${active},${member}}]}`), isSaid)
    }
  }
})

test('V-15 of a repeated active, false counts; what is not JSON says nothing', () => {
  const cases: [text: string, isSaid: boolean][] = [
    ['{"active":true,"active":false}', true],
    ['{"active":false,"active":true}', true],
    ['{"\\u0061ctive" : false, "active":true}', true],
    ['{"active":true,"active":true}', false],
    ['{"Operations":[{"op":"replace","value":{"active":false,"active":true}}]}', true],
    ['\ufeff{"active":false}', true],
    ['{"active":false', false],
    ['{"\\q":1,"active":false}', false],
    ['', false],
  ]
  for (const [text, isSaid] of cases) assert.equal(said(text), isSaid, text)
  assert.equal(saysInactive(undefined), false)
})

test('V-15 a text of any form is read quickly', () => {
  const started = performance.now()
  for (const part of ['\\"', '"', '\\', '" ', '"":', ' ', '\\"\n']) {
    for (const begin of ['"', '{"active":false,"a":"', '']) assert.equal(said(begin + part.repeat(300_000)), false)
  }
  assert.ok(performance.now() - started < 20_000)
})
