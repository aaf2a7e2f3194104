import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Ca } from '@countersign/sdk'
import { changedValues } from '../../form/changed-values.ts'
import { type CaValues, fromCa, toCa } from './ca-values.ts'

const CLAIM = { index: 0, parserCriteria: '', parser: 'NONE', matcherCriteria: '', matcher: 'ALL', location: 'SAN_URI' }
const CA = {
  name: 'a',
  identityRoles: ['b'],
  identityNameFormat: '[commonName]',
  externalIdClaim: CLAIM,
} as unknown as Ca

const changesOf = (members: Partial<CaValues>) => changedValues(toCa(fromCa(CA)), toCa({ ...fromCa(CA), ...members }))

test('D55 only the changed members of a CA are sent, a changed claim as a whole', () => {
  assert.deepEqual(changesOf({}), {})
  assert.deepEqual(changesOf({ name: 'b' }), { name: 'b' })
  assert.deepEqual(changesOf({ index: 1 }), { externalIdClaim: { ...CLAIM, index: 1 } })
  assert.deepEqual(changesOf({ usesClaim: false }), { externalIdClaim: null })
})
