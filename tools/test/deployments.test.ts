import assert from 'node:assert/strict'
import { test } from 'node:test'
import { listFiles } from '../paths.ts'
import { BEHAVIOURS, chooseDeploymentRuns, DEPLOYMENTS } from './deployments.ts'

const files = Array.from({ length: 1_000 }, (_, at) => `packages/server/test/http/${at}.test.ts`)
const pairs = (seed?: string) =>
  chooseDeploymentRuns(files, seed).flatMap((run) => run.files.map((file) => `${run.deployment} ${file}`))

test('without a seed every file runs on every deployment beside the embedded one', () => {
  assert.equal(pairs().length, files.length * (DEPLOYMENTS.length - 1))
  assert.ok(!pairs().some((pair) => pair.startsWith('embedded')))
})

test('a seed chooses about a tenth, always the same, and another seed another', () => {
  const chosen = pairs('one')
  assert.ok(chosen.length > 240 && chosen.length < 360, String(chosen.length))
  assert.deepEqual(chosen, pairs('one'))
  assert.notDeepEqual(chosen, pairs('two'))
})

test('there are behaviours to run', () => {
  assert.ok(listFiles(BEHAVIOURS).length > 60)
})
