import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findWorkloadPreset, findWorkloadSnippet, WORKLOAD_PLATFORMS, workloadTargetForm } from './workload-presets.ts'

const AUDIENCE = 'urn:countersign:organization:o1'

test('the preset of GitHub names the repository, and the environment and branch where given', () => {
  const preset = findWorkloadPreset('github', { target: 'acme/app', environment: 'production', branch: 'main' })
  assert.deepEqual(preset?.conditions, { repository: 'acme/app', environment: 'production', ref: 'refs/heads/main' })
  assert.equal(preset?.issuer, 'https://token.actions.githubusercontent.com')
  assert.equal(preset?.warning, undefined)
  assert.match(preset?.snippet(AUDIENCE) ?? '', /id-token: write.+environment: production.+&audience=urn:countersign/s)
  const open = findWorkloadPreset('github', { target: 'acme/app' })
  assert.deepEqual(open?.conditions, { repository: 'acme/app' })
  assert.match(open?.warning ?? '', /every branch of acme\/app/)
  assert.doesNotMatch(open?.snippet(AUDIENCE) ?? '', /environment/)
})

test('the preset of GitLab names the project', () => {
  const preset = findWorkloadPreset('gitlab', { target: 'acme/team/app', branch: 'main' })
  assert.deepEqual(preset?.conditions, { project_path: 'acme/team/app', ref_type: 'branch', ref: 'main' })
  assert.match(preset?.snippet(AUDIENCE) ?? '', /id_tokens:.+aud: urn:countersign:organization:o1/s)
  const inEnvironment = findWorkloadPreset('gitlab', { target: 'acme/app', environment: 'production' })
  assert.deepEqual(inEnvironment?.conditions, { project_path: 'acme/app', environment: 'production' })
})

test('the preset of Kubernetes names the service account in its namespace', () => {
  const preset = findWorkloadPreset('kubernetes', { target: 'ci/deployer' })
  assert.deepEqual(preset?.conditions, { sub: 'system:serviceaccount:ci:deployer' })
  assert.equal(preset?.issuer, undefined)
  assert.match(preset?.snippet(AUDIENCE) ?? '', /serviceAccountToken:.+audience: urn:countersign:organization:o1/s)
})

test('a target of another form has no preset', () => {
  for (const platform of WORKLOAD_PLATFORMS) {
    for (const target of ['', 'acme', 'acme/', '/app', 'acme/*', 'acme/a b']) {
      assert.equal(findWorkloadPreset(platform, { target }), undefined, `${platform} ${target}`)
    }
    assert.match(workloadTargetForm(platform), /^\w+\/\w+$/)
  }
  assert.equal(findWorkloadPreset('github', { target: 'a/b/c' }), undefined)
})

test('the configuration of a job follows from the conditions of its account', () => {
  for (const platform of WORKLOAD_PLATFORMS) {
    const preset = findWorkloadPreset(platform, { target: 'acme/app', environment: 'production' })
    assert.ok(preset)
    assert.equal(findWorkloadSnippet(preset.conditions, AUDIENCE), preset.snippet(AUDIENCE))
  }
  const listed = findWorkloadSnippet({ repository: ['acme/app'], environment: ['a', 'b'] }, AUDIENCE)
  assert.doesNotMatch(listed ?? '', /environment/)
  assert.equal(findWorkloadSnippet({ sub: 'machine' }, AUDIENCE), undefined)
})
