import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AppError } from '../app-error.ts'
import { checkSharedSignals, readSharedSignals, signalAction } from './shared-signals.ts'

const GIVEN = { audience: 'https://receiver.example', actions: { 'session-revoked': 'log' } }

test('V-11 settings of signals are read without the members that are not given', () => {
  assert.deepEqual(readSharedSignals({ ...GIVEN, issuer: null, jwksUri: '' }), GIVEN)
  assert.deepEqual(readSharedSignals({}), { audience: '', actions: {} })
  const own = { issuer: 'https://events.example', jwksUri: 'https://events.example/keys' }
  assert.deepEqual(readSharedSignals({ ...GIVEN, ...own }), { ...GIVEN, ...own })
})

const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, nth) => [`event-${nth}`, 'log']))

/** Wrong settings, the member that the error names, and right ones that differ in it alone. */
const WRONG: readonly (readonly [wrong: object, field: string, right: object])[] = [
  [{ audience: ' ' }, 'sharedSignals.audience', { audience: 'a' }],
  [{ issuer: 'a\0' }, 'sharedSignals.issuer', { issuer: 'a' }],
  [{ actions: many(33) }, 'sharedSignals.actions', { actions: many(32) }],
  [{ actions: { 'a/b': 'log' } }, 'sharedSignals.actions', { actions: { b: 'log' } }],
  [{ actions: { a: 'delete' } }, 'sharedSignals.actions.a', { actions: { a: 'disable' } }],
]

const hasField = (field: string) => (error: AppError) =>
  error.publicCause !== undefined && 'field' in error.publicCause && error.publicCause.field === field

for (const [wrong, field, right] of WRONG) {
  test(`V-11 ${JSON.stringify(wrong).slice(0, 60)} is refused, and ${JSON.stringify(right).slice(0, 60)} is not`, () => {
    const check = (members: object) => checkSharedSignals(readSharedSignals({ ...GIVEN, ...members }))
    assert.throws(() => check(wrong), hasField(field))
    check(right)
  })
}

test('V-08 events have the action of the signer, else the default one; a verification has none', () => {
  const { actions } = readSharedSignals({ ...GIVEN, actions: { 'session-revoked': 'log', verification: 'disable' } })
  assert.equal(signalAction({ actions }, 'session-revoked'), 'log')
  assert.equal(signalAction({ actions }, 'account-disabled'), 'disable')
  assert.equal(signalAction({ actions }, 'verification'), 'log')
  assert.equal(signalAction({ actions }, 'toString'), 'log')
})
