import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { MAX_RULE_COST } from '@countersign/core'
import { ALL_RULES, policyRuleInTurn, sessionRuleInTurn, signerRulesInTurn } from '../../src/token/rule-turns.ts'

const RULE = 'claims.level == 1'

interface Evaluated {
  readonly id: string
  readonly cost: number
  readonly caller?: string
}

/** Evaluates rules of a policy at the same time, and counts those in each turn of the event loop. */
async function turnsOf(policies: readonly Evaluated[]) {
  await nextTurn()
  await nextTurn()
  const turns: string[][] = [[]]
  let isRunning = true
  const note = (): void => {
    turns.push([])
    if (isRunning) setImmediate(note)
  }
  setImmediate(note)
  const evaluate = async ({ id, cost, caller = 'caller' }: Evaluated) => {
    await policyRuleInTurn({ id, acceptRule: RULE }, caller, () => {
      turns.at(-1)?.push(caller === 'caller' ? id : caller)
      ALL_RULES.spend(cost)
    })
  }
  await Promise.all(policies.map(evaluate))
  isRunning = false
  return turns.filter(({ length }) => length > 0)
}

const EXPENSIVE = { id: 'expensive', cost: MAX_RULE_COST }
const CHEAP = { id: 'cheap', cost: 1 }
const times = <Policy>(count: number, policy: Policy) => Array.from({ length: count }, () => policy)

test('Z-17 expensive rules of many requests have turns of the event loop of their own, cheap ones do not', async () => {
  const expensive = await turnsOf(times(20, EXPENSIVE))
  assert.ok(expensive.length >= 19, JSON.stringify(expensive))
  const cheap = await turnsOf(times(20, CHEAP))
  assert.equal(cheap.length, 1)
})

test('Z-17 a cheap rule never waits, and an expensive one not for all of another policy', async () => {
  const other = { id: 'other', cost: MAX_RULE_COST }
  await turnsOf([EXPENSIVE, CHEAP, other])
  const turns = await turnsOf([...times(20, EXPENSIVE), CHEAP, other])
  assert.ok(turns[0]?.includes(CHEAP.id), JSON.stringify(turns))
  assert.ok(turns.findIndex((ids) => ids.includes(other.id)) <= 3, JSON.stringify(turns))
})

test('Z-17 a rule that is cheap now and then waits too', async () => {
  await turnsOf([EXPENSIVE])
  const alternating = times(10, [EXPENSIVE, { ...EXPENSIVE, cost: 1 }]).flat()
  const turns = await turnsOf(alternating)
  assert.ok(turns.length >= 10, JSON.stringify(turns))
})

test('Z-17 however many rules wait, no two expensive ones run in a turn', async () => {
  await turnsOf([EXPENSIVE])
  const turns = await turnsOf(times(60, EXPENSIVE))
  assert.ok(turns.length >= 59, String(turns.length))
})

test('Z-17 the callers of a policy take turns, and together they have those of one owner', async () => {
  const other = { id: 'other', cost: MAX_RULE_COST }
  await turnsOf([EXPENSIVE, other])
  const many = Array.from({ length: 20 }, (_, nth) => ({ ...EXPENSIVE, caller: `caller ${nth % 2}` }))
  const turns = await turnsOf([...times(20, EXPENSIVE), ...many, { ...EXPENSIVE, caller: 'quiet' }, other])
  const turnOf = (name: string) => turns.findIndex((ids) => ids.includes(name))
  assert.ok(turnOf('quiet') <= 9, JSON.stringify(turns))
  assert.ok(turnOf('other') <= 4, JSON.stringify(turns))
})

test('Z-17 of a caller 250 rules wait, and further ones are refused, but none of others', async () => {
  await turnsOf([EXPENSIVE])
  const evaluate = (caller: string) =>
    policyRuleInTurn({ id: EXPENSIVE.id, acceptRule: RULE }, caller, () => ALL_RULES.spend(MAX_RULE_COST))
  ALL_RULES.spend(MAX_RULE_COST)
  const callers = [...Array.from({ length: 256 }, () => 'busy'), 'other']
  const results = await Promise.allSettled(callers.map(evaluate))
  // One has its turn, and 250 wait.
  assert.equal(results.filter(({ status }) => status === 'rejected').length, 5)
  assert.equal(results.at(-1)?.status, 'fulfilled')
})

test('Z-17 a session with many requests leaves the others of its identity their turns, and an identity with many sessions other identities', async () => {
  await turnsOf([EXPENSIVE])
  const policy = { id: EXPENSIVE.id, acceptRule: RULE }
  const ended: string[] = []
  const evaluate = async (identityId: string, sessionId: string) => {
    await sessionRuleInTurn(policy, { identityId, sessionId }, () => ALL_RULES.spend(MAX_RULE_COST))
    ended.push(`${identityId} ${sessionId}`)
  }
  const results = await Promise.allSettled([
    ...times(255, 'stolen').map((sessionId) => evaluate('victim', sessionId)),
    ...times(20, 'many').map((identityId, nth) => evaluate(identityId, `session ${nth}`)),
    evaluate('victim', 'own'),
    evaluate('other', 'own'),
  ])
  assert.equal(results.filter(({ status }) => status === 'rejected').length, 4)
  for (const quiet of ['victim own', 'other own']) {
    const nth = ended.indexOf(quiet)
    assert.ok(nth >= 0 && nth <= 7, ended.slice(0, 10).join())
  }
})

test('Z-17 what waits uses all of a turn: many rules that cost little together run in one', async () => {
  const fair = { id: 'fair', cost: MAX_RULE_COST / 20 }
  await turnsOf([EXPENSIVE, fair])
  const turns = await turnsOf([EXPENSIVE, ...times(100, fair)])
  assert.ok(turns.length <= 8, JSON.stringify(turns.map(({ length }) => length)))
})

test('Z-17 a policy without a rule never waits', async () => {
  await turnsOf([EXPENSIVE])
  const hadTurn = async (acceptRule: string | null) => {
    let isOver = false
    ALL_RULES.spend(MAX_RULE_COST)
    setImmediate(() => {
      isOver = true
    })
    return policyRuleInTurn({ id: EXPENSIVE.id, acceptRule }, 'caller', () => isOver)
  }
  assert.deepEqual([await hadTurn(null), await hadTurn(RULE)], [false, true])
})

test('Z-17 the rules of a signer take turns too', async () => {
  const signer = { id: 'one' } as Parameters<typeof signerRulesInTurn>[0]
  const turns: number[] = []
  let turn = 0
  const note = (): void => {
    turn += 1
    if (turns.length < 3) setImmediate(note)
  }
  setImmediate(note)
  const evaluate = () =>
    signerRulesInTurn(signer)(() => {
      turns.push(turn)
      ALL_RULES.spend(MAX_RULE_COST)
    })
  await Promise.all([evaluate(), evaluate(), evaluate()])
  assert.equal(new Set(turns).size, 3, String(turns))
})
