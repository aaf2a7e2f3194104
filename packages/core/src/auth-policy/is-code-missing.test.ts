import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DEFAULT_AUTH_POLICY } from './auth-policy-settings.ts'
import { isCodeMissing } from './is-code-missing.ts'

const policy = (requireTotp: boolean) => ({ secondary: { ...DEFAULT_AUTH_POLICY.secondary, requireTotp } })

test('an identity with verified codes must have passed one of these codes, whatever the policy says', () => {
  for (const requireTotp of [false, true]) {
    const isMissing = (passedTotpId: string | null) =>
      isCodeMissing(policy(requireTotp), { verifiedTotpId: 'new', passedTotpId })
    assert.deepEqual(['new', 'old', null].map(isMissing), [false, true, true])
  }
})

test('without verified codes the policy decides', () => {
  const session = { verifiedTotpId: null, passedTotpId: null }
  assert.equal(isCodeMissing(policy(true), session), true)
  assert.equal(isCodeMissing(policy(false), session), false)
})
