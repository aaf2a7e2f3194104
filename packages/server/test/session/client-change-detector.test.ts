import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createClientChangeDetector } from '../../src/session/client-change-detector.ts'
import type { LiveSession } from '../../src/session/live-sessions.ts'

const LONGEST = 256

for (const [length, isKept] of [
  [LONGEST, true],
  [LONGEST + 1, false],
] as const) {
  test(`R-23 I-09 a user agent of ${length} characters is ${isKept ? '' : 'not '}kept as it is, and a change is reported`, () => {
    const changes: string[] = []
    const note = createClientChangeDetector((change) => changes.push(change))
    const session = { id: 'a', ipAddress: '192.0.2.1' } as LiveSession
    const agent = 'x'.repeat(length)
    note(session, '192.0.2.1', agent)
    assert.equal(session.lastAgent === agent, isKept)
    assert.ok((session.lastAgent?.length ?? 0) <= LONGEST)
    note(session, '192.0.2.1', agent)
    assert.deepEqual(changes, [])
    note(session, '192.0.2.1', `y${agent}`)
    assert.deepEqual(changes, ['agentChanged'])
  })
}
