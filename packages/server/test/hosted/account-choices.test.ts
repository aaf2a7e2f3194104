/** The choice of a federated account for a token, with conditions that take long to compare. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { conditionKeys, exactFirst, parseConditions } from '@countersign/core'
import { AccountChoices } from '../../src/hosted/account-choices.ts'
import type { FederatedAccounts } from '../../src/hosted/known-accounts.ts'
import type { FederatedAccount } from '../../src/store/reads/federated-account-reads.ts'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

type Conditions = Parameters<typeof parseConditions>[0]

const PROVIDER = 'record'
const QUICK = { repository: 'acme/app' }
/** Each is met by the claim after milliseconds. */
const SLOW = { repository: { glob: `${'a?'.repeat(200)}*` }, sub: { glob: `*${'a?'.repeat(100)}b` } }
const SLOW_CLAIMS = { repository: 'a'.repeat(1_000), sub: 'a'.repeat(1_000) }
const LIMITS = { atOnce: 2, maxWaiting: 1, maxWaitMs: 60_000, maxMs: 60_000 }

function accountWith(id: string, conditions: Conditions): FederatedAccount {
  const parsed = exactFirst(parseConditions(conditions))
  return {
    ...{ id, name: id, organizationId: 'any', identityProviderId: PROVIDER, role: 'admin', isActive: true },
    ...{
      suspension: undefined,
      expiresAt: null,
      revision: 1,
      conditions: parsed,
      conditionKeys: conditionKeys(parsed),
    },
  } as FederatedAccount
}

function accountsWith(reading: number, count: number, conditions: Conditions): FederatedAccounts {
  const ids = Array.from({ length: count }, (_, nth) => `account ${nth}`)
  return { reading, byId: new Map(ids.map((id) => [id, accountWith(id, conditions)])) }
}

const tokenWith = (claims: Record<string, string>) => ({ claims })

const choosing = (token: ReturnType<typeof tokenWith>, accounts: FederatedAccounts, organizationId = 'acme') => ({
  ...{ token, accounts, organizationId, providerIds: new Set([PROVIDER]) },
})

test('F-14 cached tokens keep no accounts in memory', async () => {
  const choices = new AccountChoices()
  const tokens = [tokenWith(QUICK), tokenWith({ repository: 'acme/other' })]
  const chooseFrom = async (reading: number) => {
    const accounts = accountsWith(reading, 1, QUICK)
    const chosen = []
    for (const token of tokens) chosen.push(await choices.choose(choosing(token, accounts)))
    assert.deepEqual(
      chosen.map((choice) => 'reason' in choice),
      [false, true],
    )
    return new WeakRef(accounts.byId)
  }
  const accounts = await chooseFrom(1)
  await setImmediate()
  collectGarbage()
  assert.equal(accounts.deref(), undefined)
  await chooseFrom(2)
})

test('F-14 a token that is compared at once waits for no turn', async () => {
  const choices = new AccountChoices({ ...LIMITS, maxWaiting: 50 })
  const slow = choosing(tokenWith(SLOW_CLAIMS), accountsWith(1, 40, SLOW), 'slow')
  const busy = [choices.choose(slow), choices.choose({ ...slow, organizationId: 'slower' })]
  const quick = accountsWith(2, 40, { repository: { glob: 'acme/*' } })
  let ended = 0
  const chosen = Array.from({ length: 50 }, async (_, nth) => {
    await choices.choose(choosing(tokenWith({ repository: `acme/${nth}` }), quick))
    ended++
  })
  await Promise.race(busy)
  // On a busy machine, a few can take longer.
  assert.ok(ended > 40, `${ended} ended before the slow ones`)
  await Promise.all([...busy, ...chosen])
})

/** A claim that takes a while to read, so that comparing is as slow on every machine. */
function withSlowClaim(claims: Record<string, string>, onRead: () => void): Record<string, string> {
  return Object.defineProperty({ ...claims }, 'first', {
    enumerable: true,
    get: () => {
      onRead()
      for (const until = performance.now() + 0.01; performance.now() < until; );
      return 'same'
    },
  })
}

test('F-14 many tokens of an organization with a thousand exact accounts take few milliseconds of a turn of the event loop', async () => {
  const choices = new AccountChoices({ ...LIMITS, maxWaiting: 32 })
  const same = { first: 'same', second: 'same' }
  const ids = Array.from({ length: 1_000 }, (_, nth) => `account ${nth}`)
  const byId = new Map(ids.map((id) => [id, accountWith(id, { ...same, own: id })]))
  const comparedInTurn = new Set<number>()
  const chosen = Array.from({ length: 100 }, (_, nth) => {
    const claims = withSlowClaim({ ...same, own: `account ${nth}` }, () => comparedInTurn.add(nth))
    return choices.choose(choosing(tokenWith(claims), { reading: 1, byId }))
  })
  const ended = Promise.allSettled(chosen)
  const few = accountsWith(1, 10, QUICK)
  assert.ok('reason' in (await choices.choose(choosing(tokenWith({ repository: 'acme/other' }), few, 'other'))))
  let isOver = false
  void ended.then(() => {
    isOver = true
  })
  let most = 0
  while (!isOver) {
    most = Math.max(most, comparedInTurn.size)
    comparedInTurn.clear()
    await setImmediate()
  }
  // This turn can have the end of one and the beginning of the next, each with a choice that waits for nothing and one that has waited.
  assert.ok(most <= 4, `${most} tokens were compared in one turn`)
  const results = await ended
  const accepted = results.flatMap((one, nth) => (one.status === 'fulfilled' ? { nth, choice: one.value } : []))
  assert.ok(accepted.length > 0)
  for (const { nth, choice } of accepted) assert.equal(choice, byId.get(`account ${nth}`))
  for (const one of results) {
    if (one.status === 'rejected') assert.equal(one.reason.code, 'SERVER_TOO_MANY_REQUESTS')
  }
})

test('F-14 many tokens at once, each compared within a turn, are all chosen for', async () => {
  const choices = new AccountChoices()
  const accounts = accountsWith(1, 20, { first: 'same', repository: 'acme/app' })
  const tokens = Array.from({ length: 100 }, () => tokenWith(withSlowClaim(QUICK, () => {})))
  const chosen = await Promise.all(tokens.map((token) => choices.choose(choosing(token, accounts))))
  assert.equal(chosen.length, 100)
})

test('F-14 a token is compared once while its accounts have not been read again', async () => {
  const choices = new AccountChoices()
  const token = tokenWith({ repository: 'acme/app' })
  let compared = 0
  const counted = (reading: number): FederatedAccounts => {
    const accounts = accountsWith(reading, 1, { repository: { glob: 'acme/*' } })
    const account = accounts.byId.get('account 0')
    assert.ok(account)
    const conditions = account.conditions.map(({ selector }) => ({
      selector,
      accepted: { glob: 'acme/*', matches: () => ++compared > 0 },
    }))
    return { reading, byId: new Map([[account.id, { ...account, conditions }]]) }
  }
  const accounts = counted(1)
  for (let use = 0; use < 3; use++) await choices.choose(choosing(token, accounts))
  assert.equal(compared, 1)
  await choices.choose(choosing(token, counted(2)))
  assert.equal(compared, 2)
})

test('F-14 an organization has one choice at a time, and others do not wait for it', async () => {
  const choices = new AccountChoices(LIMITS)
  const slow = accountsWith(1, 20, SLOW)
  let ended = 0
  const choose = async () => {
    const choice = await choices.choose(choosing(tokenWith(SLOW_CLAIMS), slow))
    ended++
    return choice
  }
  const [first, second] = [choose(), choose()]
  await assert.rejects(choose(), { code: 'SERVER_TOO_MANY_REQUESTS' })
  const quick = accountsWith(1, 1, QUICK)
  const other = await choices.choose(choosing(tokenWith(QUICK), quick, 'other'))
  assert.equal(other, quick.byId.get('account 0'))
  assert.equal(ended, 0)
  for (const choice of await Promise.all([first, second])) {
    assert.ok('reason' in choice)
    assert.equal(choice.reason, 'condition-unmet')
  }
  assert.equal(ended, 2)
})

test('F-14 a choice that waits or takes too long fails, and ends', async () => {
  const slow = accountsWith(1, 300, SLOW)
  const began = performance.now()
  const impatient = new AccountChoices({ ...LIMITS, maxMs: 20 })
  await assert.rejects(impatient.choose(choosing(tokenWith(SLOW_CLAIMS), slow)), { code: 'TIMEOUT' })
  const waiting = new AccountChoices({ ...LIMITS, maxWaitMs: 1, maxMs: 50 })
  const both = [1, 2].map(() => waiting.choose(choosing(tokenWith(SLOW_CLAIMS), slow)))
  for (const choice of both) await assert.rejects(choice, { code: 'TIMEOUT' })
  const few = accountsWith(1, 1, SLOW)
  const patient = new AccountChoices(LIMITS)
  const choice = await patient.choose(choosing(tokenWith({ ...SLOW_CLAIMS, sub: `${'a'.repeat(999)}b` }), few))
  assert.equal(choice, few.byId.get('account 0'))
  assert.ok(performance.now() - began < 2_000)
})

test('F-14 exact values are compared first, and no pattern after one that is not met', async () => {
  const accounts = accountsWith(1, 1_000, { ...SLOW, owner: 'acme' })
  const impatient = new AccountChoices({ ...LIMITS, maxMs: 100 })
  const choice = await impatient.choose(choosing(tokenWith({ ...SLOW_CLAIMS, owner: 'other' }), accounts))
  assert.ok('reason' in choice && choice.unmet)
  assert.deepEqual([choice.reason, choice.unmet[0]?.condition.selector.text], ['condition-unmet', 'owner'])
  await assert.rejects(impatient.choose(choosing(tokenWith({ ...SLOW_CLAIMS, owner: 'acme' }), accounts)), {
    code: 'TIMEOUT',
  })
})
