import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { createControllerStage, type ReadyController, startPostgres } from '@countersign/testkit'
import { IDENTITIES, until } from '../workers/worker-clients.ts'
import { startNodes } from './two-nodes.ts'

const SINKS = '/edge/management/v1/event-sinks'
const WRITES = 40
/** The lease of a killed node ends after 15 seconds. */
const TAKEN_OVER_WITHIN_MS = 90_000

interface Line {
  readonly event_id: string
  readonly position: number
  readonly eventType?: string
  readonly finalState?: { readonly name?: string }
}

/** What a node has written to the file of the sink. A killed one may have begun a line. */
function linesOf({ dataDir }: ReadyController): Line[] {
  const file = join(dataDir, 'events', 'kept.jsonl')
  const whole = existsSync(file) ? readFileSync(file, 'utf8').split('\n').slice(0, -1) : []
  return whole.map((line) => JSON.parse(line))
}

test('Z-01 Z-02 events of two nodes have one order, and when the node that delivers is killed the other one continues', async (t) => {
  const postgres = await startPostgres({ durable: true })
  t.after(() => postgres.stop())
  const { one, two, admin: session } = await startNodes(createControllerStage(t), postgres)
  const body = { name: 'kept', kind: 'file' }
  const sink = await one.request('POST', SINKS, { session, body })
  assert.equal(sink.status, 201, sink.text)
  const acknowledged: string[] = []
  const write = async (node: ReadyController, name: string): Promise<void> => {
    const identity = { name, type: 'Default', isAdmin: false }
    const reply = await node.request('POST', IDENTITIES, { session, body: identity }).catch(() => undefined)
    if (reply?.status === 201) acknowledged.push(name)
  }
  await until(async () => linesOf(one).length + linesOf(two).length > 0, 'a delivery')
  const [delivering, other] = linesOf(one).length > 0 ? [one, two] : [two, one]
  let isKilled = false
  const writes = Array.from({ length: WRITES }, async (_, at) => {
    await write(at % 2 === 0 ? delivering : other, `identity-${at}`)
    if (isKilled || acknowledged.length < WRITES / 4) return
    isKilled = true
    await delivering.kill9()
  })
  await Promise.all(writes)
  assert.ok(isKilled)
  await write(other, 'last')
  assert.equal(acknowledged.at(-1), 'last')
  const isDelivered = async () => {
    const { position, behind } = (await other.request('GET', `${SINKS}/${sink.json.data.id}`, { session })).json.data
    return behind === 0 && linesOf(other).some((line) => line.position === position)
  }
  await until(isDelivered, 'the other node', TAKEN_OVER_WITHIN_MS)

  const idsByPosition = new Map<number, Set<string>>()
  const delivered = [...linesOf(one), ...linesOf(two)]
  for (const { position, event_id: id } of delivered) {
    idsByPosition.set(position, (idsByPosition.get(position) ?? new Set()).add(id))
  }
  const positions = [...idsByPosition.keys()].toSorted((a, b) => a - b)
  assert.deepEqual(
    positions,
    positions.map((_, at) => at + 1),
    'no event is missing',
  )
  assert.ok(
    [...idsByPosition.values()].every((ids) => ids.size === 1),
    'repeats have the same id',
  )
  const created = new Set(delivered.flatMap(({ finalState }) => finalState?.name ?? []))
  assert.deepEqual(
    acknowledged.filter((name) => !created.has(name)),
    [],
  )
})
