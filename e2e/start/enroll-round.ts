import assert from 'node:assert/strict'
import { Agent } from 'node:https'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ControllerStage, ReadyController } from '@countersign/testkit'
import { startAndCheckEnrolled } from './enroll-check.ts'
import { ENROLLMENT_KINDS, type EnrollmentKind, type EnrollmentRecord, presentToken } from './enroll-client.ts'

const CLIENTS = 6
/** The kill follows upon one of the first so many acknowledged enrollments, at once or a little later. */
const MAX_ENROLLED = 30
const MAX_DELAY_MS = 20

/** Starts a controller, holds it against the record, lets clients enroll and kills it in the middle of that. */
export async function runEnrollmentRound(stage: ControllerStage, record: EnrollmentRecord): Promise<void> {
  const controller = await startAndCheckEnrolled(stage, record)
  const round = ++record.rounds
  const agent = new Agent({ keepAlive: true })
  const before = record.enrolled.size
  const enough = before + 1 + Math.floor(Math.random() * MAX_ENROLLED)
  const { promise: reached, resolve: reach } = Promise.withResolvers<void>()
  const enrollUntilCut = async (client: number): Promise<void> => {
    for (let n = 0; ; n++) {
      const kind = ENROLLMENT_KINDS[(n + client) % 2] ?? 'token'
      if (!(await enrollOne(controller, record, `round-${round}-${client}-${n}`, kind, agent))) return
      if (record.enrolled.size >= enough) reach()
    }
  }
  const clients = Promise.all(Array.from({ length: CLIENTS }, (_, client) => enrollUntilCut(client)))
  await Promise.race([reached, clients])
  // Half of the kills hit the moment after an acknowledgement, the others any part of the next enrollments.
  if (Math.random() < 0.5) await sleep(Math.random() * MAX_DELAY_MS)
  await controller.kill9()
  await clients
  agent.destroy()
  assert.ok(record.enrolled.size > before, 'no enrollment was acknowledged before the kill')
}

/** Answers whether there was an answer. */
async function enrollOne(
  controller: ReadyController,
  record: EnrollmentRecord,
  sub: string,
  kind: EnrollmentKind,
  agent?: Agent,
): Promise<boolean> {
  record.unanswered.set(sub, kind)
  const { answer, client } = await presentToken(controller, record.provider.token(sub), kind, agent)
  if (!answer) return false
  assert.equal(answer.status, 200, answer.text)
  record.unanswered.delete(sub)
  record.enrolled.set(sub, { kind, identityId: answer.json.data.identityId, client })
  return true
}
