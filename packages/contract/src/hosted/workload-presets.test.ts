import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  findWorkloadPreset,
  findWorkloadSnippet,
  WORKLOAD_PLATFORMS,
  type WorkloadPreset,
  workloadTargetForm,
} from './workload-presets.ts'

const AUDIENCE = 'urn:countersign:organization:o1'
const HOSTED_URL = 'https://ctrl.example.com'
const configure = (preset: WorkloadPreset | undefined): string => preset?.snippet(AUDIENCE, HOSTED_URL) ?? ''

test('the preset of GitHub names the repository, and the environment and branch where given', () => {
  const preset = findWorkloadPreset('github', { target: 'acme/app', environment: 'production', branch: 'main' })
  assert.deepEqual(preset?.conditions, { repository: 'acme/app', environment: 'production', ref: 'refs/heads/main' })
  assert.equal(preset?.issuer, 'https://token.actions.githubusercontent.com')
  assert.equal(preset?.warning, undefined)
  assert.match(configure(preset), /id-token: write.+environment: production/s)
  assert.match(
    configure(preset),
    /env:\n +COUNTERSIGN_HOSTED_URL: https:\/\/ctrl.example.com\n +COUNTERSIGN_AUDIENCE: urn:countersign:organization:o1\n/,
  )
  assert.doesNotMatch(configure(preset), /GITHUB_ENV|REQUEST_TOKEN/, 'the token is written nowhere')
  const open = findWorkloadPreset('github', { target: 'acme/app' })
  assert.deepEqual(open?.conditions, { repository: 'acme/app' })
  assert.match(open?.warning ?? '', /every branch of acme\/app/)
  assert.doesNotMatch(configure(open), /environment/)
})

test('the preset of GitLab names the project', () => {
  const preset = findWorkloadPreset('gitlab', { target: 'acme/team/app', branch: 'main' })
  assert.deepEqual(preset?.conditions, { project_path: 'acme/team/app', ref_type: 'branch', ref: 'main' })
  assert.match(configure(preset), /variables:\n +COUNTERSIGN_HOSTED_URL: https:\/\/ctrl.example.com\n/)
  assert.match(configure(preset), /id_tokens:\n +COUNTERSIGN_API_TOKEN:\n +aud: urn:countersign:organization:o1\n/)
  assert.doesNotMatch(configure(preset), /environment/)
  const inEnvironment = findWorkloadPreset('gitlab', { target: 'acme/app', environment: 'production' })
  assert.deepEqual(inEnvironment?.conditions, { project_path: 'acme/app', environment: 'production' })
  assert.match(configure(inEnvironment), /environment: production/)
})

test('the preset of Kubernetes names the service account in its namespace', () => {
  const preset = findWorkloadPreset('kubernetes', { target: 'ci/deployer' })
  assert.deepEqual(preset?.conditions, { sub: 'system:serviceaccount:ci:deployer' })
  assert.equal(preset?.issuer, undefined)
  assert.match(configure(preset), /serviceAccountName: deployer\n/)
  assert.match(configure(preset), /name: COUNTERSIGN_HOSTED_URL\n +value: https:\/\/ctrl.example.com\n/)
  assert.match(
    configure(preset),
    /volumeMounts:\n +- name: countersign\n +mountPath: \/var\/run\/secrets\/countersign\n/,
  )
  assert.match(configure(preset), /serviceAccountToken:\n +path: token\n +audience: urn:countersign:organization:o1\n/)
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
    assert.equal(findWorkloadSnippet(preset.conditions, AUDIENCE, HOSTED_URL), configure(preset))
  }
  const listed = findWorkloadSnippet({ repository: ['acme/app'], environment: ['a', 'b'] }, AUDIENCE, HOSTED_URL)
  assert.doesNotMatch(listed ?? '', /environment/)
  assert.equal(findWorkloadSnippet({ sub: 'machine' }, AUDIENCE, HOSTED_URL), undefined)
  const strange = findWorkloadSnippet({ repository: 'acme/app', environment: 'a\n- b: c' }, AUDIENCE, HOSTED_URL)
  assert.match(strange ?? '', /environment: "a\\n- b: c"\n/, 'a text of several lines stays one value')
})
