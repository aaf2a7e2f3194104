import assert from 'node:assert/strict'
import { Agent } from 'node:https'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ControllerStage, ReadyController } from '@countersign/testkit'
import { buildSignerBody, CLIENT_SIGNERS, SIGNERS } from './signer-body.ts'

const CREATORS = 6
const REPLACED = 2
const PAGE = 500
const PASSWORD = 'the password of the crash rounds'
/** The kill follows upon one of the first so many acknowledged creates, at once or a little later. */
const MAX_CREATES = 40
const MAX_DELAY_MS = 20

/** What clients were told over all rounds, which every later start must bear out. */
export interface CrashRecord {
  /** Ids of acknowledged creates, with the name each was given. */
  readonly created: Map<string, string>
  /** Signers that are replaced again and again: the last version that was acknowledged and the last one sent. */
  readonly replaced: Map<string, { acknowledged: number; sent: number }>
  /** Names of creates that were cut off: they may be there or not. */
  readonly unanswered: Set<string>
  rounds: number
}

export function createCrashRecord(): CrashRecord {
  return { created: new Map(), replaced: new Map(), unanswered: new Set(), rounds: 0 }
}

/** Starts a controller, holds it against the record, lets clients write to it and kills it in the middle of that. */
export async function runCrashRound(stage: ControllerStage, record: CrashRecord): Promise<void> {
  const controller = await startAndCheck(stage, record)
  const session = await logIn(controller)
  const round = ++record.rounds
  const agent = new Agent({ keepAlive: true })
  await makeReplaced(controller, session, record)
  const before = record.created.size
  const enough = before + 1 + Math.floor(Math.random() * MAX_CREATES)
  const { promise: reached, resolve: reach } = Promise.withResolvers<void>()
  const create = (client: number) =>
    createUntilCut(controller, session, agent, record, {
      prefix: `round-${round}-${client}`,
      onCreated: () => record.created.size >= enough && reach(),
    })
  const clients = Promise.all([
    ...Array.from({ length: CREATORS }, (_, client) => create(client)),
    ...[...record.replaced.keys()].map((id) => replaceUntilCut(controller, session, agent, record, id)),
  ])
  await Promise.race([reached, clients])
  // Half of the kills hit the moment after an acknowledgement, the others any part of the next writes.
  if (Math.random() < 0.5) await sleep(Math.random() * MAX_DELAY_MS)
  await controller.kill9()
  await clients
  agent.destroy()
  assert.ok(record.created.size > before, 'no create was acknowledged before the kill')
}

/** Starts a controller over the remains of the last round and holds it against everything that clients were told. */
export async function startAndCheck(stage: ControllerStage, record: CrashRecord): Promise<ReadyController> {
  const controller = await stage.start({ env: { COUNTERSIGN_ADMIN_PASSWORD: PASSWORD } })
  const stored = await listSigners(controller, await logIn(controller))
  for (const [id, name] of record.created) {
    assert.equal(stored.get(id)?.name, name, `round ${record.rounds}: signer ${id} was acknowledged and is not there`)
  }
  for (const [id, { acknowledged, sent }] of record.replaced) {
    const signer = stored.get(id)
    const version = Number(signer?.tags?.version)
    const range = `version ${version} of ${id}, of which ${acknowledged} was acknowledged and ${sent} sent`
    assert.ok(version >= acknowledged && version <= sent, `round ${record.rounds}: ${range}`)
    const whole = buildVersion(id, version)
    assert.deepEqual({ ...signer, ...whole }, signer, `round ${record.rounds}: a mixture of versions`)
  }
  const known = new Set([...record.created.values(), ...record.unanswered])
  for (const [id, { name }] of stored) {
    assert.ok(record.replaced.has(id) || known.has(name), `round ${record.rounds}: nobody asked for ${name}`)
  }
  const { json } = await controller.request('GET', CLIENT_SIGNERS)
  const shown = json.data.map(({ id, name, audience }: Signer) => `${id} ${name} ${audience}`)
  const expected = [...stored.values()].map(({ id, name, audience }) => `${id} ${name} ${audience}`)
  assert.deepEqual(shown.sort(), expected.sort(), `round ${record.rounds}: what is served is not what is stored`)
  return controller
}

/** A machine that is busy elsewhere may make an answer late, which the controller says with 503: that is no promise broken. */
async function logIn(controller: ReadyController): Promise<string> {
  for (let tries = 1; ; tries++) {
    try {
      return await controller.logIn(PASSWORD)
    } catch (error) {
      if (tries === 8 || !String(error).includes('TIMEOUT')) throw new Error(controller.stderr(), { cause: error })
    }
  }
}

interface Signer {
  readonly id: string
  readonly name: string
  readonly audience: string
  readonly tags?: { readonly version?: number }
}

async function listSigners(controller: ReadyController, session: string): Promise<Map<string, Signer>> {
  const signers = new Map<string, Signer>()
  for (let offset = 0; ; offset += PAGE) {
    const path = `${SIGNERS}?limit=${PAGE}&offset=${offset}`
    const { status, json, text } = await controller.request('GET', path, { session })
    assert.equal(status, 200, text)
    for (const signer of json.data as Signer[]) signers.set(signer.id, signer)
    if (json.data.length < PAGE) return signers
  }
}

async function makeReplaced(controller: ReadyController, session: string, record: CrashRecord): Promise<void> {
  while (record.replaced.size < REPLACED) {
    const body = buildSignerBody(`replaced-${record.replaced.size}`)
    const { status, json, text } = await controller.request('POST', SIGNERS, { session, body })
    assert.equal(status, 201, text)
    const { id } = json.data
    const put = await controller.request('PUT', `${SIGNERS}/${id}`, { session, body: buildVersion(id, 0) })
    assert.equal(put.status, 200, put.text)
    record.replaced.set(id, { acknowledged: 0, sent: 0 })
  }
}

/** Every member tells the version, so that a mixture of two would show. */
function buildVersion(id: string, version: number) {
  return { ...buildSignerBody(`v${version}-${id}`.toLowerCase()), tags: { version } }
}

async function createUntilCut(
  controller: ReadyController,
  session: string,
  agent: Agent,
  record: CrashRecord,
  { prefix, onCreated }: { prefix: string; onCreated: () => void },
): Promise<void> {
  for (let n = 0; ; n++) {
    const name = `${prefix}-${n}`
    record.unanswered.add(name)
    const options = { session, agent, body: buildSignerBody(name) }
    const answer = await controller.request('POST', SIGNERS, options).catch(() => undefined)
    if (!answer) return
    assert.equal(answer.status, 201, answer.text)
    record.unanswered.delete(name)
    record.created.set(answer.json.data.id, name)
    onCreated()
  }
}

async function replaceUntilCut(
  controller: ReadyController,
  session: string,
  agent: Agent,
  record: CrashRecord,
  id: string,
): Promise<void> {
  const versions = record.replaced.get(id) ?? assert.fail(`${id} is not in the record`)
  for (;;) {
    const version = ++versions.sent
    const body = buildVersion(id, version)
    const answer = await controller.request('PUT', `${SIGNERS}/${id}`, { session, agent, body }).catch(() => undefined)
    if (!answer) return
    assert.equal(answer.status, 200, answer.text)
    versions.acknowledged = version
  }
}
