import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findNamedOrganization, isOrganizationAudience, organizationAudience } from './organization-audience.ts'

test('D66 the audience of an organization names it, alone or among other audiences', () => {
  const [one, two] = [organizationAudience('o1'), organizationAudience('o2')]
  assert.ok(isOrganizationAudience(one))
  assert.ok(!isOrganizationAudience('https://o1.example'))
  assert.equal(findNamedOrganization([one]), 'o1')
  assert.equal(findNamedOrganization(['sts.amazonaws.com', one, one]), 'o1')
  assert.equal(findNamedOrganization([one, two]), undefined)
  assert.equal(findNamedOrganization(['https://o1.example', `x${one}`]), undefined)
  assert.equal(findNamedOrganization([]), undefined)
})
