import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { KnownNetworks, type Standing } from '../../src/limits/known-networks.ts'
import { Passwords } from '../../src/login/passwords.ts'
import { ADMIN_PASSWORD, buildApp, TEST_PASSWORD_COST, type TestApp } from './build-app.ts'
import { summarize } from './ext-jwt-signers.fixture.ts'
import { AUTHENTICATORS, createIdentity, createPassword, OWN_IDENTITY } from './identities.fixture.ts'

const PATH = '/edge/client/v1/authenticate?method=password'
const WRONG = '401 INVALID_AUTH'
const LIMITED = '429 SERVER_TOO_MANY_REQUESTS'
const OWN_NETWORK = '198.51.100.1'

/** A controller that trusts a proxy on this machine, so that a test can use any client address, with one account. */
async function setUp(t: TestContext, limits: Record<string, number>) {
  const dir = mkdtempSync(join(tmpdir(), 'countersign-guessing-'))
  t.after(() => rmSync(dir, { recursive: true, force: true }))
  const config = join(dir, 'settings.yaml')
  writeFileSync(config, JSON.stringify({ limits, http: { trustedProxies: ['127.0.0.1'] } }))
  const app = await buildApp(t, { settings: { config }, isAlone: 'node' })
  const { username, password, id } = await createPassword(app, await createIdentity(app))
  return {
    app,
    username,
    password,
    authenticatorId: id,
    guess: (address: string, text = 'not-the-password', name = username) => guess(app, address, name, text),
  }
}

async function guess(app: TestApp, address: string, username: string, password: string): Promise<string> {
  return summarize(await app.call('POST', PATH, { username, password }, { headers: { 'x-forwarded-for': address } }))
}

test('R-16 the /64 networks of one /48 share a limit on wrong passwords, and the next /48 has its own', async (t) => {
  const { guess, password } = await setUp(t, { passwordBurst: 2, passwordPerMinute: 1, accountBurst: 0 })
  const own = '2001:db8:1:ffff::1'
  assert.equal(await guess(own, password), '200')
  const seen: string[] = []
  for (let network = 0; network < 24; network++) seen.push(await guess(`2001:db8:1:${network.toString(16)}::1`))
  assert.deepEqual(seen, [...Array(20).fill(WRONG), ...Array(4).fill(LIMITED)])
  assert.equal(await guess('2001:db8:2::1'), WRONG)
  assert.equal(await guess('2001:db8:1:fffe::1', password), LIMITED)
  assert.equal(await guess(own, password), '200', 'strangers do not use up what known networks need')
})

test('R-16 the /64 networks of one /48 share the same limit when they have logged in, beside that of strangers', async (t) => {
  const { guess, password } = await setUp(t, { passwordBurst: 2, passwordPerMinute: 1, accountBurst: 0 })
  const networks = Array.from({ length: 24 }, (_, nth) => `2001:db8:1:${nth.toString(16)}::1`)
  for (const network of networks) assert.equal(await guess(network, password), '200')
  const seen: string[] = []
  for (const network of networks) seen.push(await guess(network))
  assert.deepEqual(seen, [...Array(20).fill(WRONG), ...Array(4).fill(LIMITED)])
  assert.equal(await guess('2001:db8:1:ffff::1'), WRONG)
  assert.equal(await guess('2001:db8:2::1', password), '200')
  assert.equal(await guess('2001:db8:2::1'), WRONG)
})

test('R-17 guesses of one account from many networks are delayed more and more, and its own networks are not', async (t) => {
  const { app, guess, password } = await setUp(t, { accountBurst: 5 })
  assert.equal(await guess(OWN_NETWORK, password), '200')
  let next = 0
  const fromNewNetwork = (text?: string, name?: string) => guess(`192.0.2.${++next}`, text, name)
  for (let nth = 0; nth < 5; nth++) assert.equal(await fromNewNetwork(), WRONG)
  for (const delaySeconds of [1, 2, 4, 8, 16, 32, 60, 60]) {
    assert.equal(await fromNewNetwork(), LIMITED, `before ${delaySeconds} s`)
    app.clock.advance(delaySeconds * 500)
    assert.equal(await fromNewNetwork(password), LIMITED, 'the right password waits too')
    app.clock.advance(delaySeconds * 500)
    assert.equal(await fromNewNetwork(), WRONG)
  }
  assert.equal(await guess(OWN_NETWORK), WRONG)
  assert.equal(await guess(OWN_NETWORK, password), '200')
  assert.equal(await fromNewNetwork(undefined, 'another-name'), WRONG)
  app.clock.advance(60_000)
  assert.equal(await fromNewNetwork(password), '200')
  assert.equal(await fromNewNetwork(), WRONG, 'a correct password ends the delay')
})

test('R-17 guesses of the current password in a session count as guesses of the account, and the right one does not', async (t) => {
  const { app, guess, password, username, authenticatorId } = await setUp(t, { accountBurst: 5 })
  const session = await app.logIn(username, password)
  const change = async (address: string, currentPassword: string) => {
    const path = `${OWN_IDENTITY}/authenticators/${authenticatorId}`
    const options = { session, headers: { 'x-forwarded-for': address } }
    return summarize(await app.call('PATCH', path, { username, currentPassword }, options))
  }
  for (let nth = 1; nth <= 5; nth++) assert.equal(await change(OWN_NETWORK, password), '200')
  for (let nth = 1; nth <= 4; nth++) assert.equal(await guess(`192.0.2.${nth}`), WRONG)
  assert.equal(await change('192.0.2.5', 'wrong'), '401 UNAUTHORIZED currentPassword')
  assert.equal(await guess('192.0.2.6'), LIMITED)
  assert.equal(await change('192.0.2.7', 'wrong'), LIMITED)
  assert.equal(await change(OWN_NETWORK, password), '200', 'the networks of the account are exempt')
})

test('R-17 the delay exempts the networks of the identity that has the user name now, not those of a former one', async (t) => {
  const { app, guess, password, username, authenticatorId } = await setUp(t, { accountBurst: 5 })
  assert.equal(await guess(OWN_NETWORK, password), '200')
  const rename = await app.admin('PATCH', `${AUTHENTICATORS}/${authenticatorId}`, { username: `${username}-2` })
  assert.equal(rename.status, 200)
  await createPassword(app, await createIdentity(app), { username })
  for (let nth = 1; nth <= 5; nth++) {
    for (const name of [username, `${username}-2`]) assert.equal(await guess(`192.0.2.${nth}`, undefined, name), WRONG)
  }
  assert.equal(await guess(OWN_NETWORK), LIMITED)
  assert.equal(await guess(OWN_NETWORK, undefined, `${username}-2`), WRONG)
  assert.equal(await guess(OWN_NETWORK, password, `${username}-2`), '200', 'the identity keeps its networks')
})

test('R-17 a name that does not exist is delayed like one that does', async (t) => {
  const { guess } = await setUp(t, { accountBurst: 5 })
  const seen: string[] = []
  for (let nth = 1; nth <= 7; nth++) seen.push(await guess(`192.0.2.${nth}`, 'wrong', 'not-a-name'))
  assert.deepEqual(seen, [...Array(5).fill(WRONG), LIMITED, LIMITED])
})

const GUESSER = '192.0.2.1'

/** Exceeds the limit of an account from one network, which then polls for two minutes. */
async function keepOut({ app, guess }: Awaited<ReturnType<typeof setUp>>): Promise<void> {
  for (let nth = 0; nth < 5; nth++) assert.equal(await guess(GUESSER), WRONG)
  for (const delaySeconds of [1, 2, 4, 8, 16, 32, 60]) {
    app.clock.advance(delaySeconds * 2_000)
    assert.equal(await guess(GUESSER), WRONG)
  }
  for (let second = 0; second < 120; second++) {
    app.clock.advance(1_000)
    await guess(GUESSER)
  }
}

test('R-17 one network that guesses and polls keeps only itself out of an account', async (t) => {
  const account = await setUp(t, { accountBurst: 5 })
  await keepOut(account)
  assert.equal(await account.guess(GUESSER, account.password), LIMITED)
  assert.equal(await account.guess(OWN_NETWORK, account.password), '200')
})

test('R-17 the networks of one /48, and the concurrent guesses of one network, take one place', async (t) => {
  const { app, guess, password } = await setUp(t, { accountBurst: 5 })
  for (let nth = 0; nth < 9; nth++) await guess(`2001:db8:1:${nth}::1`)
  const from = performance.now()
  const flood = await Promise.all(Array.from({ length: 9 }, () => guess('192.0.2.1')))
  // After a second there is a place for the next one.
  const seconds = Math.floor((performance.now() - from) / 1000)
  const compared = flood.filter((result) => result === WRONG).length
  const [least, most] = [app.stores.length, app.stores.length * (1 + seconds)]
  assert.ok(compared >= least && compared <= most, `${compared} in ${seconds} s, for ${least} nodes`)
  assert.equal(await guess(OWN_NETWORK, password), '200')
})

test('R-17 a network that polls does not get the next turn, and one that waits does', async (t) => {
  const account = await setUp(t, { accountBurst: 5 })
  const { app, guess, password } = account
  await keepOut(account)
  assert.equal(await guess(OWN_NETWORK), WRONG, 'the owner mistypes, from a network that has not guessed')
  for (let second = 0; second < 120; second++) {
    assert.equal(await guess(GUESSER, password), LIMITED)
    app.clock.advance(1_000)
  }
  assert.equal(await guess(OWN_NETWORK, password), '200')
})

test('R-18 a flood of passwords from new networks leaves places for networks that logged in before', async (t) => {
  const { guess, password } = await setUp(t, { accountBurst: 0 })
  assert.equal(await guess(OWN_NETWORK, password), '200')
  const flood = Array.from({ length: 60 }, (_, nth) => guess(`192.0.2.${nth + 1}`, 'wrong', `name-${nth}`))
  const own = await Promise.all([guess(OWN_NETWORK, password), guess(OWN_NETWORK, password)])
  assert.ok((await Promise.all(flood)).includes(LIMITED), 'the flood fills its places')
  assert.deepEqual(own, ['200', '200'])
})

test('R-18 strangers have twelve places for all their accounts, others of a known network sixteen, and accounts take turns', async () => {
  const passwords = new Passwords(TEST_PASSWORD_COST)
  const digest = await passwords.digest('secret', 'one')
  const compare = (standing: Standing, nth: number) =>
    passwords.isRight('secret', digest, { account: `account ${nth}`, standing }).catch(({ code }) => code)
  const send = (standing: Standing) => Array.from({ length: 30 }, (_, nth) => compare(standing, nth))
  const all = [send('stranger'), send('network'), send('account')]
  const accepted = []
  for (const results of all) accepted.push((await Promise.all(results)).filter((result) => result === true).length)
  assert.deepEqual(accepted, [12, 16, 30])
})

test('R-18 strangers who invent names have together the turns of one account', async () => {
  const order: string[] = []
  const passwords = new Passwords(TEST_PASSWORD_COST, 16, 1)
  const digest = await passwords.digest('secret', 'one')
  const compare = async (standing: Standing, account: string) => {
    await passwords.isRight('secret', digest, { account, standing })
    order.push(account)
  }
  const strangers = Array.from({ length: 12 }, (_, nth) => compare('stranger', `invented ${nth}`))
  // The owner of an account, whose name one of the strangers gives too.
  await Promise.all([...strangers, compare('account', 'invented 11'), compare('account', 'other')])
  assert.ok(order.indexOf('invented 11') <= 2, order.join())
  assert.ok(order.indexOf('other') <= 4, order.join())
})

test('R-18 only the identity that logged in from a network has turns of its own there', () => {
  const known = new KnownNetworks()
  known.note('identity', OWN_NETWORK)
  const standings = ['identity', 'other', undefined].map((id) => known.standingOf(id, OWN_NETWORK))
  assert.deepEqual(standings, ['account', 'network', 'network'])
  assert.equal(known.standingOf('identity', '192.0.2.1'), 'stranger')
})

test('R-18 one who has logged in and now sends invented names leaves turns for others', async (t) => {
  const { guess, password } = await setUp(t, { accountBurst: 0, passwordBurst: 0 })
  assert.equal(await guess(OWN_NETWORK, ADMIN_PASSWORD, 'admin'), '200')
  const networks = Array.from({ length: 8 }, (_, nth) => `192.0.2.${nth + 1}`)
  for (const network of networks) assert.equal(await guess(network, password), '200')
  const flood = Array.from({ length: 200 }, (_, nth) => guess(networks[nth % 8] ?? '', 'wrong', `name ${nth}`))
  const others = await Promise.all([1, 2, 3].map(() => guess(OWN_NETWORK, ADMIN_PASSWORD, 'admin')))
  assert.ok((await Promise.all(flood)).includes(LIMITED), 'the flood fills its places')
  assert.deepEqual(others, ['200', '200', '200'])
})

test('R-18 an account that logs in all the time with its own right password leaves turns for others', async (t) => {
  const { guess, password } = await setUp(t, {})
  for (const attempt of [guess(OWN_NETWORK, password), guess(OWN_NETWORK, ADMIN_PASSWORD, 'admin')]) {
    assert.equal(await attempt, '200')
  }
  const flood = Array.from({ length: 60 }, () => guess(OWN_NETWORK, password))
  const others = await Promise.all([1, 2, 3].map(() => guess(OWN_NETWORK, ADMIN_PASSWORD, 'admin')))
  assert.ok((await Promise.all(flood)).includes(LIMITED), 'the flood fills its places')
  assert.deepEqual(others, ['200', '200', '200'])
})
