import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { checks } from './checks.ts'
import { findVerdict } from './find-verdict.ts'

const clean = { looked: 1, problems: [] }

for (const check of checks) {
  test(`the check "${check.name}" finds its planted violations`, async () => {
    const planted = await check.look(join(import.meta.dirname, 'planted', check.planted.folder))
    assert.ok(check.planted.expect.length > 0)
    assert.deepEqual(findVerdict(check, clean, planted), [])
  })

  test(`the check "${check.name}" fails when it looks at nothing or misses a planted violation`, () => {
    const all = { looked: 1, problems: check.planted.expect }
    assert.deepEqual(findVerdict(check, clean, all), [])
    assert.deepEqual(findVerdict(check, { looked: 0, problems: [] }, all), ['looked at nothing'])
    assert.deepEqual(findVerdict(check, { looked: 0, problems: [], absent: 'no history' }, all), [])
    assert.deepEqual(findVerdict(check, { looked: 1, problems: ['wrong'] }, all), ['wrong'])
    assert.equal(findVerdict(check, clean, clean).length, check.planted.expect.length)
  })
}
