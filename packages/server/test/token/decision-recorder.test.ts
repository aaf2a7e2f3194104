import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { AppError } from '@countersign/core'
import { pino } from 'pino'
import { pruneDecisions, recordDecisions } from '../../src/operations/auth-decision/record-decisions.ts'
import { startUpkeep } from '../../src/process/upkeep.ts'
import type { AuthDecisionRow } from '../../src/store/schema.ts'
import { DecisionRecorder, type RecordedPart, type RefusedLogin } from '../../src/token/decision-recorder.ts'
import type { LoginExplanation } from '../../src/token/login-explanation.ts'
import { openTestStore } from '../store/open-test-stores.ts'

const NOW = 1_700_000_000_000
const DAY_MS = 86_400_000
const NOTHING: LoginExplanation = { signers: [], identity: null, policy: null, missing: [], hints: [] }

async function setUp(t: TestContext, isDown = () => false) {
  const store = await openTestStore(t, 'sqlite')
  const time = { now: NOW }
  const clock = { now: () => time.now }
  const logged: string[] = []
  const log = pino({ level: 'trace' }, { write: (line: string) => void logged.push(line) })
  const save = async (decisions: readonly AuthDecisionRow[], part: RecordedPart): Promise<void> => {
    if (isDown()) throw new AppError('STORE_UNAVAILABLE')
    await store.run(recordDecisions, { decisions, ...part }, { actorId: 'system', now: time.now })
  }
  const recorder = new DecisionRecorder({ save, clock, log })
  let count = 0
  const refusal = (members: Partial<RefusedLogin> = {}): RefusedLogin => ({
    id: `decision-${++count}`,
    method: 'ext-jwt',
    reason: 'issuer-unknown',
    signerId: undefined,
    identityId: undefined,
    remoteAddress: '192.0.2.1',
    explain: () => NOTHING,
    ...members,
  })
  const rows = () => store.db.selectFrom('auth_decisions').selectAll().orderBy('id').execute()
  return { store, time, clock, log, logged, recorder, refusal, rows }
}

test('D18 recording does not wait: the explanation is computed later, and the row written in a batch', async (t) => {
  const { recorder, refusal, rows } = await setUp(t)
  let computed = 0
  const explain = () => {
    computed++
    return NOTHING
  }
  for (let times = 0; times < 3; times++) recorder.record(refusal({ explain }))
  assert.equal(computed, 0)
  await recorder.flush()
  assert.equal(computed, 3)
  const [row] = await rows()
  assert.deepEqual(
    { ...row },
    {
      id: 'decision-1',
      at: NOW,
      method: 'ext-jwt',
      reason: 'issuer-unknown',
      signer_id: null,
      identity_id: null,
      claimed_identity: null,
      identity_name: null,
      signer_name: null,
      organization_id: null,
      remote_address: '192.0.2.1',
      explanation: JSON.stringify(NOTHING),
    },
  )
  assert.equal((await rows()).length, 3)
})

test('R-04 Z-07 a bounded number of a flood is kept, the others are counted, and no address uses the share of another', async (t) => {
  const { recorder, refusal, rows, time, logged } = await setUp(t)
  for (let times = 0; times < 10_000; times++) recorder.record(refusal())
  for (let times = 0; times < 5; times++) recorder.record(refusal({ remoteAddress: '192.0.2.2' }))
  await recorder.flush()
  const first = await rows()
  assert.equal(first.filter((row) => row.remote_address === '192.0.2.2').length, 5)
  assert.ok(first.length >= 250 && first.length <= 500, String(first.length))
  assert.equal(recorder.leftOut, 10_005 - first.length)
  assert.ok(logged.some((line) => JSON.parse(line).leftOut === recorder.leftOut))

  time.now += 1000
  for (let times = 0; times < 10_000; times++) recorder.record(refusal())
  await recorder.flush()
  assert.ok((await rows()).length <= first.length + 50)
  for (let address = 0; address < 10_000; address++) recorder.record(refusal({ remoteAddress: `192.0.2.${address}` }))
  await recorder.flush()
  assert.ok((await rows()).length <= 550)
})

test('Z-07 strangers add at most 1,000 refusals an hour to the audit record, after a burst, and one note a minute', async (t) => {
  const { refusal, time, clock, log } = await setUp(t)
  const parts: RecordedPart[] = []
  let kept = 0
  const save = async (decisions: readonly AuthDecisionRow[], part: RecordedPart): Promise<void> => {
    kept += decisions.length
    parts.push(part)
  }
  const recorder = new DecisionRecorder({ save, clock, log })
  const recorded = () => parts.flatMap((part) => part.recorded).length
  // Fifty in a second, the sample of a flood that all addresses share, and how many more there were.
  for (let second = 0; second < 300; second++) {
    for (let times = 0; times < 50; times++) recorder.record(refusal({ remoteAddress: `192.0.2.${times}` }))
    if (second % 5 === 4) await recorder.flush()
    time.now += 1000
  }
  assert.ok(kept > 14_000, String(kept))
  assert.ok(recorded() >= 10_000 && recorded() <= 10_000 + 300 * (1_000 / 3_600) + 1, String(recorded()))
  const notes = parts.filter(({ dropped }) => dropped > 0).length
  assert.ok(notes >= 1 && notes <= 6, String(notes))
  await recorder.settle()
  const dropped = parts.reduce((sum, part) => sum + part.dropped, 0)
  assert.equal(recorded() + dropped, 15_000)
  time.now += 3_600_000
  recorder.record(refusal())
  await recorder.flush()
  assert.equal(parts.at(-1)?.recorded.length, 1)
})

test('R-04 a decision takes at most 4 KiB, whatever a token contains', async (t) => {
  const { recorder, refusal, rows } = await setUp(t)
  const long = '\u20ac'.repeat(256)
  const checks = Array.from(
    { length: 11 },
    () => ({ check: 'issuer', expected: long, received: long, pass: false }) as const,
  )
  const signers = Array.from(
    { length: 20 },
    (_, index) => ({ signerId: `s${index}`, checks, reason: 'issuer-mismatch' }) as const,
  )
  const hints = Array.from({ length: 20 }, () => long.repeat(10))
  recorder.record(refusal({ explain: () => ({ ...NOTHING, signers, hints }), remoteAddress: 'x'.repeat(500) }))
  const short = {
    ...NOTHING,
    signers: [{ signerId: 's', checks: checks.slice(0, 1), reason: 'issuer-mismatch' as const }],
  }
  recorder.record(refusal({ explain: () => ({ ...short, hints: ['one', 'two'] }) }))
  await recorder.flush()
  const [big, small] = await rows()
  assert.ok(big && small)
  assert.ok(Buffer.byteLength(big.explanation) <= 4096 && big.remote_address.length <= 64)
  assert.equal(typeof JSON.parse(big.explanation).hints[0], 'string')
  const kept = JSON.parse(small.explanation)
  assert.deepEqual([kept.signers.length, kept.hints], [1, ['one', 'two']])
})

test('a refusal that cannot be explained or stored affects no other', async (t) => {
  let fails = true
  const { recorder, refusal, rows } = await setUp(t, () => fails)
  recorder.record(refusal())
  await recorder.flush()
  assert.deepEqual([recorder.leftOut, (await rows()).length], [1, 0])
  fails = false
  recorder.record(refusal({ explain: () => Promise.reject(new Error('unexplainable')) }))
  recorder.record(refusal())
  await recorder.flush()
  assert.deepEqual([recorder.leftOut, (await rows()).length], [2, 1])
})

const NO_CLIENTS = {
  endOldSessions: async () => {},
  workAtProviders: [],
  reportUnusedAccounts: async () => {},
  revocationLists: { update: async () => {}, recordEarlier: async () => {} },
}

test('R-04 pruning keeps the newest up to the maximum, and upkeep deletes those older than a day', async (t) => {
  const { store, recorder, refusal, rows, time, clock, log } = await setUp(t)
  for (let times = 0; times < 5; times++) {
    recorder.record(refusal())
    time.now += 1000
  }
  await recorder.flush()
  const meta = { actorId: 'system', now: time.now }
  assert.equal(await store.run(pruneDecisions, { maxKept: 5 }, meta), false)
  assert.equal((await rows()).length, 5)
  await store.run(pruneDecisions, { maxKept: 3 }, meta)
  assert.deepEqual(
    (await rows()).map(({ id }) => id),
    ['decision-3', 'decision-4', 'decision-5'],
  )
  t.mock.timers.enable({ apis: ['setInterval'] })
  const upkeep = startUpkeep({
    store,
    clock,
    log,
    pruneEvents: async () => {},
    keepLoginsForDays: 30,
    rotateKeys: async () => {},
    ...NO_CLIENTS,
  })
  time.now = NOW + DAY_MS + 3_500
  t.mock.timers.tick(60_000)
  await upkeep.stop()
  assert.deepEqual(
    (await rows()).map(({ id }) => id),
    ['decision-5'],
  )
})
