import assert from 'node:assert/strict'
import type { Agent } from 'node:https'
import type { ControllerAnswer, ControllerStage, ReadyController } from '@countersign/testkit'
import {
  ENROLLMENT_KINDS,
  type EnrollmentKind,
  type EnrollmentRecord,
  GROUPS,
  PASSWORD,
  presentToken,
  startEnrolling,
} from './enroll-client.ts'

const IDENTITIES = '/edge/management/v1/identities'
const AUTHENTICATORS = '/edge/management/v1/authenticators'
const PAGE = 500

/** Starts a controller over the remains of the last round: everybody who was told so is enrolled, and nobody by half. */
export async function startAndCheckEnrolled(
  stage: ControllerStage,
  record: EnrollmentRecord,
): Promise<ReadyController> {
  const controller = await startEnrolling(stage, record)
  await checkWhole(controller, record)
  await retryCutOff(controller, record)
  await checkLastSignsIn(controller, record)
  return controller
}

async function checkWhole(controller: ReadyController, record: EnrollmentRecord): Promise<void> {
  const session = await controller.logIn(PASSWORD)
  const where = `round ${record.rounds}`
  const identities = await listAll<Identity>(controller, session, IDENTITIES)
  const bySubject = new Map(identities.map((identity) => [identity.externalId, identity]))
  for (const [sub, { identityId }] of record.enrolled) {
    assert.equal(bySubject.get(sub)?.id, identityId, `${where}: ${sub} was acknowledged and is not there`)
  }
  let certificates = 0
  for (const { externalId, isDefaultAdmin, roleAttributes, authenticators } of identities) {
    if (isDefaultAdmin) continue
    const kind = record.enrolled.get(externalId)?.kind ?? record.unanswered.get(externalId)
    assert.ok(kind, `${where}: nobody asked for ${externalId}`)
    assert.deepEqual(roleAttributes, GROUPS, `${where}: ${externalId} lacks attributes`)
    assert.equal(authenticators.cert !== undefined, kind === 'cert', `${where}: ${externalId} to ${kind}`)
    if (authenticators.cert) certificates++
  }
  const recorded = await listAll<{ method: string }>(controller, session, AUTHENTICATORS)
  assert.equal(recorded.filter(({ method }) => method === 'cert').length, certificates, `${where}: an orphan`)
}

/** Whoever got no answer tries again: he enrolls, or learns that he has. */
async function retryCutOff(controller: ReadyController, record: EnrollmentRecord): Promise<void> {
  for (const [sub, kind] of record.unanswered) {
    const { answer, client } = await presentToken(controller, record.provider.token(sub), kind)
    assert.ok(answer)
    if (answer.status === 200) {
      record.unanswered.delete(sub)
      record.enrolled.set(sub, { kind, identityId: answer.json.data.identityId, client })
    } else assert.equal(answer.json.error.code, 'ENROLLMENT_IDENTITY_ALREADY_ENROLLED', answer.text)
  }
}

async function checkLastSignsIn(controller: ReadyController, { enrolled, provider }: EnrollmentRecord): Promise<void> {
  for (const kind of ENROLLMENT_KINDS) {
    const [sub, last] = [...enrolled].findLast(([, one]) => one.kind === kind) ?? []
    if (sub === undefined || !last) continue
    const options = last.client
      ? { client: last.client }
      : { headers: { authorization: `Bearer ${provider.token(sub)}` } }
    const method = last.client ? 'cert' : 'ext-jwt'
    const { status, json, text } = await controller.request(
      'POST',
      `/edge/client/v1/authenticate?method=${method}`,
      options,
    )
    assert.deepEqual([status, json.data?.identityId], [200, last.identityId], text)
  }
}

/** The same token so many times at once: one is enrolled, all others are told so. */
export async function raceOneToken(
  controller: ReadyController,
  { provider }: EnrollmentRecord,
  { sub, kind, times, agent }: { sub: string; kind: EnrollmentKind; times: number; agent: Agent },
): Promise<void> {
  const token = provider.token(sub)
  const replies = await Promise.all(Array.from({ length: times }, () => presentToken(controller, token, kind, agent)))
  const counts = Map.groupBy(replies, ({ answer }) => outcomeOf(answer))
  const told = Object.fromEntries([...counts].map(([outcome, { length }]) => [outcome, length]))
  assert.deepEqual(told, { 200: 1, '409 ENROLLMENT_IDENTITY_ALREADY_ENROLLED': times - 1 })
  const session = await controller.logIn(PASSWORD)
  const path = `${IDENTITIES}?filter=${encodeURIComponent(`externalId = "${sub}"`)}`
  const found = (await controller.request('GET', path, { session })).json.data as Identity[]
  const id = counts.get('200')?.[0]?.answer?.json.data.identityId
  assert.deepEqual(
    found.map((identity) => [identity.id, Object.keys(identity.authenticators)]),
    [[id, kind === 'cert' ? ['cert'] : []]],
  )
}

function outcomeOf(answer: ControllerAnswer | undefined): string {
  if (!answer) return 'no answer'
  return answer.status === 200 ? '200' : `${answer.status} ${answer.json?.error?.code}`
}

interface Identity {
  readonly id: string
  readonly externalId: string
  readonly isDefaultAdmin: boolean
  readonly roleAttributes: readonly string[]
  readonly authenticators: { readonly cert?: unknown }
}

async function listAll<Row>(controller: ReadyController, session: string, collection: string): Promise<Row[]> {
  const rows: Row[] = []
  for (;;) {
    const path = `${collection}?limit=${PAGE}&offset=${rows.length}`
    const { status, json, text } = await controller.request('GET', path, { session })
    assert.equal(status, 200, text)
    rows.push(...json.data)
    if (json.data.length < PAGE) return rows
  }
}
