import assert from 'node:assert/strict'
import { Agent } from 'node:https'
import { test } from 'node:test'
import { createControllerStage } from '@countersign/testkit'
import { raceOneToken, startAndCheckEnrolled } from './enroll-check.ts'
import { createEnrollmentRecord, ENROLLMENT_KINDS, startEnrolling } from './enroll-client.ts'
import { runEnrollmentRound } from './enroll-round.ts'

const ROUNDS = 3
const TIMES = 200

test('S-01 after kill -9 under concurrent enrollments each is complete or absent, and can be repeated', async (t) => {
  const stage = createControllerStage(t)
  const record = createEnrollmentRecord()
  for (let round = 0; round < ROUNDS; round++) await runEnrollmentRound(stage, record)
  const controller = await startAndCheckEnrolled(stage, record)
  assert.ok(record.enrolled.size >= ROUNDS)
  assert.equal((await controller.stop()).code, 0)
})

test('L-09 D37 of concurrent enrollments with the same token one succeeds, for token login and for a certificate', async (t) => {
  const record = createEnrollmentRecord()
  const controller = await startEnrolling(createControllerStage(t), record)
  const agent = new Agent({ keepAlive: true })
  for (const kind of ENROLLMENT_KINDS) {
    await raceOneToken(controller, record, { sub: `raced to ${kind}`, kind, times: TIMES, agent })
  }
  agent.destroy()
  assert.equal((await controller.stop()).code, 0)
})
