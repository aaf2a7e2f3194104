import assert from 'node:assert/strict'
import { Agent } from 'node:https'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ControllerStage, ReadyController } from '@countersign/testkit'
import { startAndCheckEnrolled } from './enroll-check.ts'
import { ENROLLMENT_KINDS, type EnrollmentKind, type EnrollmentRecord, enrollOnce } from './enroll-client.ts'

const CLIENTS = 6
/** The kill follows one of the first acknowledged enrollments, at most this many, at once or shortly after. */
const MAX_ENROLLED = 30
const MAX_DELAY_MS = 20

/** Starts a controller, checks it against the record, and kills it while clients enroll. */
export async function runEnrollmentRound(stage: ControllerStage, record: EnrollmentRecord): Promise<void> {
  const controller = await startAndCheckEnrolled(stage, record)
  const round = ++record.rounds
  const agent = new Agent({ keepAlive: true })
  const before = record.enrolled.size
  const target = before + 1 + Math.floor(Math.random() * MAX_ENROLLED)
  const { promise: reached, resolve: reach } = Promise.withResolvers<void>()
  const enrollUntilKilled = async (client: number): Promise<void> => {
    for (let n = 0; ; n++) {
      const kind = ENROLLMENT_KINDS[(n + client) % 2] ?? 'token'
      if (!(await enrollAndRecord(controller, record, `round-${round}-${client}-${n}`, kind, agent))) return
      if (record.enrolled.size >= target) reach()
    }
  }
  const clients = Promise.all(Array.from({ length: CLIENTS }, (_, client) => enrollUntilKilled(client)))
  await Promise.race([reached, clients])
  // Half of the kills come right after an acknowledgement, the others during the next enrollments.
  if (Math.random() < 0.5) await sleep(Math.random() * MAX_DELAY_MS)
  await controller.kill9()
  await clients
  agent.destroy()
  assert.ok(record.enrolled.size > before, 'no enrollment was acknowledged before the kill')
}

/** Returns false without a response. */
async function enrollAndRecord(
  controller: ReadyController,
  record: EnrollmentRecord,
  sub: string,
  kind: EnrollmentKind,
  agent?: Agent,
): Promise<boolean> {
  record.interrupted.set(sub, kind)
  const { response, client } = await enrollOnce(controller, record.provider.token(sub), kind, agent)
  if (!response) return false
  assert.equal(response.status, 200, response.text)
  record.interrupted.delete(sub)
  record.enrolled.set(sub, { kind, identityId: response.json.data.identityId, client })
  return true
}
