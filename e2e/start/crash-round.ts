import assert from 'node:assert/strict'
import { Agent } from 'node:https'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ControllerStage, ReadyController } from '@countersign/testkit'
import { buildSignerBody, CLIENT_SIGNERS, SIGNERS } from './signer-body.ts'

const CREATORS = 6
const REPLACED = 2
const PAGE = 500
const PASSWORD = 'the password of the crash rounds'
/** The kill follows one of the first acknowledged creates, at most this many, at once or shortly after. */
const MAX_CREATES = 40
const MAX_DELAY_MS = 20

/** The acknowledged writes of all rounds, which every later start must have. */
export interface CrashRecord {
  /** Names of acknowledged creates, by id. */
  readonly created: Map<string, string>
  /** Signers that are replaced repeatedly: the last acknowledged and the last sent version. */
  readonly replaced: Map<string, { acknowledged: number; sent: number }>
  /** Names of creates without a response: they can be stored or not. */
  readonly interrupted: Set<string>
  rounds: number
}

export function createCrashRecord(): CrashRecord {
  return { created: new Map(), replaced: new Map(), interrupted: new Set(), rounds: 0 }
}

/** Starts a controller, checks it against the record, and kills it while clients write. */
export async function runCrashRound(stage: ControllerStage, record: CrashRecord): Promise<void> {
  const controller = await startAndCheck(stage, record)
  const session = await logIn(controller)
  const round = ++record.rounds
  const agent = new Agent({ keepAlive: true })
  await createReplaced(controller, session, record)
  const before = record.created.size
  const target = before + 1 + Math.floor(Math.random() * MAX_CREATES)
  const { promise: reached, resolve: reach } = Promise.withResolvers<void>()
  const create = (client: number) =>
    createUntilKilled(controller, session, agent, record, {
      prefix: `round-${round}-${client}`,
      onCreated: () => record.created.size >= target && reach(),
    })
  const clients = Promise.all([
    ...Array.from({ length: CREATORS }, (_, client) => create(client)),
    ...[...record.replaced.keys()].map((id) => replaceUntilKilled(controller, session, agent, record, id)),
  ])
  await Promise.race([reached, clients])
  // Half of the kills come right after an acknowledgement, the others during the next writes.
  if (Math.random() < 0.5) await sleep(Math.random() * MAX_DELAY_MS)
  await controller.kill9()
  await clients
  agent.destroy()
  assert.ok(record.created.size > before, 'no create was acknowledged before the kill')
}

/** Starts a controller on the data of the last round and checks it against all acknowledged writes. */
export async function startAndCheck(stage: ControllerStage, record: CrashRecord): Promise<ReadyController> {
  const controller = await stage.start({ env: { COUNTERSIGN_ADMIN_PASSWORD: PASSWORD } })
  const stored = await listSigners(controller, await logIn(controller))
  for (const [id, name] of record.created) {
    assert.equal(stored.get(id)?.name, name, `round ${record.rounds}: signer ${id} was acknowledged, but is not stored`)
  }
  for (const [id, { acknowledged, sent }] of record.replaced) {
    const signer = stored.get(id)
    const version = Number(signer?.tags?.version)
    const range = `version ${version} of ${id}, of which ${acknowledged} was acknowledged and ${sent} sent`
    assert.ok(version >= acknowledged && version <= sent, `round ${record.rounds}: ${range}`)
    const expected = buildVersion(id, version)
    assert.deepEqual({ ...signer, ...expected }, signer, `round ${record.rounds}: a mixture of versions`)
  }
  const known = new Set([...record.created.values(), ...record.interrupted])
  for (const [id, { name }] of stored) {
    assert.ok(record.replaced.has(id) || known.has(name), `round ${record.rounds}: ${name} was never created`)
  }
  const { json } = await controller.request('GET', CLIENT_SIGNERS)
  const served = json.data.map(({ id, name, audience }: Signer) => `${id} ${name} ${audience}`)
  const expected = [...stored.values()].map(({ id, name, audience }) => `${id} ${name} ${audience}`)
  assert.deepEqual(served.sort(), expected.sort(), `round ${record.rounds}: served and stored signers differ`)
  return controller
}

/** Retries after a 503 for a timeout, which a busy machine can cause. */
async function logIn(controller: ReadyController): Promise<string> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await controller.logIn(PASSWORD)
    } catch (error) {
      if (attempt === 8 || !String(error).includes('TIMEOUT')) throw new Error(controller.stderr(), { cause: error })
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

async function createReplaced(controller: ReadyController, session: string, record: CrashRecord): Promise<void> {
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

/** Every member contains the version, so that a mixture of two is noticed. */
function buildVersion(id: string, version: number) {
  return { ...buildSignerBody(`v${version}-${id}`.toLowerCase()), tags: { version } }
}

async function createUntilKilled(
  controller: ReadyController,
  session: string,
  agent: Agent,
  record: CrashRecord,
  { prefix, onCreated }: { prefix: string; onCreated: () => void },
): Promise<void> {
  for (let n = 0; ; n++) {
    const name = `${prefix}-${n}`
    record.interrupted.add(name)
    const options = { session, agent, body: buildSignerBody(name) }
    const response = await controller.request('POST', SIGNERS, options).catch(() => undefined)
    if (!response) return
    assert.equal(response.status, 201, response.text)
    record.interrupted.delete(name)
    record.created.set(response.json.data.id, name)
    onCreated()
  }
}

async function replaceUntilKilled(
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
    const response = await controller
      .request('PUT', `${SIGNERS}/${id}`, { session, agent, body })
      .catch(() => undefined)
    if (!response) return
    assert.equal(response.status, 200, response.text)
    versions.acknowledged = version
  }
}
