import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toSharedSignals, toSignalValues } from './shared-signals.ts'

test('signals are sent back as they were, without default actions', () => {
  const signals = {
    audience: 'a',
    issuer: 'https://b.example',
    actions: { 'session-revoked': 'log', other: 'disable' },
  } as const
  assert.deepEqual(toSharedSignals(toSignalValues(signals)), signals)
  assert.deepEqual(toSharedSignals(toSignalValues({ audience: 'a', actions: {} })), { audience: 'a', actions: {} })
  assert.equal(toSharedSignals(toSignalValues(null)), null)
  assert.equal(toSharedSignals({ ...toSignalValues(signals), isOn: false }), null)
})
