import assert from 'node:assert/strict'
import type { Agent } from 'node:https'
import type { ControllerResponse, ControllerStage, ReadyController } from '@countersign/testkit'
import {
  ENROLLMENT_KINDS,
  type EnrollmentKind,
  type EnrollmentRecord,
  enrollOnce,
  GROUPS,
  PASSWORD,
  startEnrolling,
} from './enroll-client.ts'

const IDENTITIES = '/edge/management/v1/identities'
const AUTHENTICATORS = '/edge/management/v1/authenticators'
const PAGE = 500

/** Starts a controller on the data of the last round: all acknowledged enrollments are stored, and none is incomplete. */
export async function startAndCheckEnrolled(
  stage: ControllerStage,
  record: EnrollmentRecord,
): Promise<ReadyController> {
  const controller = await startEnrolling(stage, record)
  await checkComplete(controller, record)
  await retryInterrupted(controller, record)
  await checkLastLogin(controller, record)
  return controller
}

async function checkComplete(controller: ReadyController, record: EnrollmentRecord): Promise<void> {
  const session = await controller.logIn(PASSWORD)
  const where = `round ${record.rounds}`
  const identities = await listAll<Identity>(controller, session, IDENTITIES)
  const bySubject = new Map(identities.map((identity) => [identity.externalId, identity]))
  for (const [sub, { identityId }] of record.enrolled) {
    assert.equal(bySubject.get(sub)?.id, identityId, `${where}: ${sub} was acknowledged, but is not stored`)
  }
  let certificates = 0
  for (const { externalId, isDefaultAdmin, roleAttributes, authenticators } of identities) {
    if (isDefaultAdmin) continue
    const kind = record.enrolled.get(externalId)?.kind ?? record.interrupted.get(externalId)
    assert.ok(kind, `${where}: ${externalId} was never enrolled`)
    assert.deepEqual(roleAttributes, GROUPS, `${where}: ${externalId} lacks attributes`)
    assert.equal(authenticators.cert !== undefined, kind === 'cert', `${where}: ${externalId} to ${kind}`)
    if (authenticators.cert) certificates++
  }
  const recorded = await listAll<{ method: string }>(controller, session, AUTHENTICATORS)
  assert.equal(
    recorded.filter(({ method }) => method === 'cert').length,
    certificates,
    `${where}: an authenticator without identity`,
  )
}

/** Repeats enrollments without a response: each succeeds, or is refused because it has succeeded. */
async function retryInterrupted(controller: ReadyController, record: EnrollmentRecord): Promise<void> {
  for (const [sub, kind] of record.interrupted) {
    const { response, client } = await enrollOnce(controller, record.provider.token(sub), kind)
    assert.ok(response)
    if (response.status === 200) {
      record.interrupted.delete(sub)
      record.enrolled.set(sub, { kind, identityId: response.json.data.identityId, client })
    } else assert.equal(response.json.error.code, 'ENROLLMENT_IDENTITY_ALREADY_ENROLLED', response.text)
  }
}

async function checkLastLogin(controller: ReadyController, { enrolled, provider }: EnrollmentRecord): Promise<void> {
  for (const kind of ENROLLMENT_KINDS) {
    const [sub, last] = [...enrolled].findLast(([, enrollment]) => enrollment.kind === kind) ?? []
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

/** Enrolls with the same token `times` times at once: one succeeds, all others get 409. */
export async function raceOneToken(
  controller: ReadyController,
  { provider }: EnrollmentRecord,
  { sub, kind, times, agent }: { sub: string; kind: EnrollmentKind; times: number; agent: Agent },
): Promise<void> {
  const token = provider.token(sub)
  const attempts = await Promise.all(Array.from({ length: times }, () => enrollOnce(controller, token, kind, agent)))
  const counts = Map.groupBy(attempts, ({ response }) => resultOf(response))
  const totals = Object.fromEntries([...counts].map(([result, { length }]) => [result, length]))
  assert.deepEqual(totals, { 200: 1, '409 ENROLLMENT_IDENTITY_ALREADY_ENROLLED': times - 1 })
  const session = await controller.logIn(PASSWORD)
  const path = `${IDENTITIES}?filter=${encodeURIComponent(`externalId = "${sub}"`)}`
  const found = (await controller.request('GET', path, { session })).json.data as Identity[]
  const id = counts.get('200')?.[0]?.response?.json.data.identityId
  assert.deepEqual(
    found.map((identity) => [identity.id, Object.keys(identity.authenticators)]),
    [[id, kind === 'cert' ? ['cert'] : []]],
  )
}

function resultOf(response: ControllerResponse | undefined): string {
  if (!response) return 'no response'
  return response.status === 200 ? '200' : `${response.status} ${response.json?.error?.code}`
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
