import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseRequiredClaims } from '../claim/required-claims.ts'
import type { ReadonlyJson } from '../json/json-value.ts'
import { isBroad } from './broad-conditions.ts'

function isBroadJson(conditions: ReadonlyJson): boolean {
  const reading = parseRequiredClaims(conditions)
  assert.ok(reading.ok)
  return isBroad(reading.requiredClaims)
}

/** Each with a twin that differs in what names the owner. */
const ROWS: readonly [broad: ReadonlyJson, narrow: ReadonlyJson][] = [
  [{ sub: { glob: '*' } }, { sub: { glob: 'machine-*' } }],
  [{ sub: { glob: 'repo:*' } }, { sub: { glob: 'repo:acme/*' } }],
  [{ sub: { glob: 're*' } }, { sub: { glob: 'build*' } }],
  [{ sub: { glob: 'repo:acme*' } }, { sub: 'repo:acme/app:ref:refs/heads/main' }],
  [{ sub: { glob: 'repo:*/app:ref:refs/heads/main' } }, { '/sub': { glob: 'repo:acme/app:ref:*' } }],
  [{ sub: { glob: 'repository_owner:acme*' } }, { sub: { glob: 'repository_owner:acme:*' } }],
  [{ sub: { glob: 'repository_id:*' } }, { sub: { glob: 'repository_id:7:*' } }],
  [{ sub: { glob: 'repository_owner_id:7*' } }, { sub: 'repository_owner_id:7' }],
  [{ sub: 'environment:production' }, { sub: 'repository:acme/app:environment:production' }],
  [{ sub: { glob: 'project_path:*' } }, { sub: { glob: 'project_path:acme/app:ref_type:branch:*' } }],
  [{ sub: { glob: 'system:serviceaccount:*:deployer' } }, { sub: { glob: 'system:serviceaccount:ci:*' } }],
  [{ sub: ['repo:acme/app:ref:refs/heads/main', 'ref:refs/heads/main'] }, { sub: ['repo:a/b:x', 'repo:a/c:x'] }],
  [{ '/aud/0': 'urn:x' }, { '/teams/0': 'acme' }],
  [{ '/groups_direct/0': 'acme' }, { '/0': 'acme' }],
  [{ iss: 'https://token.actions.githubusercontent.com' }, { repository: 'acme/app' }],
  [
    { aud: 'urn:x', environment: 'production', ref: 'refs/heads/main' },
    { ref: 'x', repository_id: '7' },
  ],
  [{ repository: { glob: '*/app' } }, { repository: { glob: 'acme/*' } }],
  [{ repository: { glob: 'acme*' } }, { repository: ['acme/app', 'acme/web'] }],
  [{ repository_owner: { glob: 'acme*' } }, { repository_owner: 'acme' }],
  [
    { job_workflow_ref: 'acme/flows/.github/workflows/x.yml@refs/heads/main' },
    { workflow_ref: { glob: 'acme/app/*' } },
  ],
  [{ actor: 'alice' }, { repository_owner_id: '7' }],
  [
    { user_login: 'alice', project_path: { glob: '*' } },
    { user_login: 'alice', project_path: 'acme/app' },
  ],
  [{ namespace_path: { glob: 'acme*' } }, { namespace_path: 'acme' }],
  [{ '/kubernetes.io/serviceaccount/name': 'deployer' }, { '/kubernetes.io/namespace': 'ci' }],
  [{ team: { glob: '?*' } }, { team: 'blue' }],
]

for (const [broad, narrow] of ROWS) {
  test(`Y-03 ${JSON.stringify(broad)} is met by others, ${JSON.stringify(narrow)} is not`, () => {
    assert.deepEqual([isBroadJson(broad), isBroadJson(narrow)], [true, false])
  })
}

test('Y-03 no condition at all is met by everyone', () => {
  assert.ok(isBroadJson({}))
})
