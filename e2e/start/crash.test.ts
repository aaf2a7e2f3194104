import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createControllerStage } from '@countersign/testkit'
import { createCrashRecord, runCrashRound, startAndCheck } from './crash-round.ts'

const ROUNDS = 3

test('S-02 after kill -9 under concurrent writes every acknowledged signer is stored, and a replaced one is old or new', async (t) => {
  const stage = createControllerStage(t)
  const record = createCrashRecord()
  for (let round = 0; round < ROUNDS; round++) await runCrashRound(stage, record)
  const controller = await startAndCheck(stage, record)
  assert.ok(record.created.size >= ROUNDS)
  assert.equal(record.replaced.size, 2)
  assert.equal((await controller.stop()).code, 0)
})
