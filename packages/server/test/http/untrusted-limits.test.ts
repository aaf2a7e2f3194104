import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { settingsFile } from '../oidc/oidc.fixture.ts'
import { buildApp, type TestApp } from './build-app.ts'
import { CAS, issueLeaf, makeCa, type TestLeaf } from './cas.fixture.ts'
import { overTls } from './client-certificates.fixture.ts'
import { ENROLL } from './enrollments.fixture.ts'
import { summarize } from './ext-jwt-signers.fixture.ts'
import { AUDIENCE, logInWithToken, SIGNERS, setUpProvider } from './provider.fixture.ts'

const TOO_MANY = '429 SERVER_TOO_MANY_REQUESTS'
const HOLDER = { permissions: ['ca', 'external-jwt-signer'] }
/** Tags of 15 KiB, which an entry has before and after the change. */
const NOTES = Array.from({ length: 15 }, () => 'x'.repeat(1_000))

/** One controller, since the others of a deployment count for themselves. */
const threeChanges = (t: TestContext) =>
  ({ isAlone: 'controller', settings: { config: settingsFile(t, 'limits:\n  changeBurst: 3\n') } }) as const

/** Stops the clock, by which the limit is refilled: a slow machine would never reach it. Returns how to move it on by a second. */
function holdClock(t: TestContext, { clock }: Pick<TestApp, 'clock'>) {
  let now = clock.now()
  t.mock.method(clock, 'now', () => now)
  return () => {
    now += 1_000
  }
}

test('R-22 enrollments by a CA that is not trusted are limited, those by a trusted one are not', async (t) => {
  const app = await buildApp(t, threeChanges(t))
  const { session } = await app.makeIdentity(HOLDER)
  const { id, authority } = await makeCa(app)
  const call = await overTls(app)
  const enroll = async ({ cert, key }: TestLeaf = issueLeaf(authority)) =>
    summarize(await call('POST', `${ENROLL}?method=ca`, { cert, key, body: {} }))
  for (let time = 0; time < 5; time++) assert.equal(await enroll(), '200')
  const written = await app.call('PATCH', `${CAS}/${id}`, { identityRoles: ['x'] }, { session })
  assert.equal(written.status, 200, written.text)
  const leaf = issueLeaf(authority)
  const waitASecond = holdClock(t, app)
  assert.equal(await enroll(leaf), '200')
  for (let time = 0; time < 5; time++) assert.equal(await enroll(leaf), '409 CERT_IN_USE', 'refused ones do not count')
  for (let time = 0; time < 2; time++) assert.equal(await enroll(), '200')
  assert.equal(await enroll(), TOO_MANY)
  waitASecond()
  assert.equal(await enroll(), '200')
})

test('R-22 C-24 tokens that a signer accepts once, which are noted until they expire, are limited unless it is trusted', async (t) => {
  const { app, createSigner, createIdentity, token } = await setUpProvider(t, threeChanges(t))
  const { session } = await app.makeIdentity(HOLDER)
  const signerId = await createSigner({ oneUse: true })
  await createIdentity()
  const logIn = async (claims: object) => summarize(await logInWithToken(app, token({ ...claims })))
  const exp = Date.parse('9999-01-01') / 1000
  for (const jti of ['a', 'b', 'c', 'd', 'e']) assert.equal(await logIn({ jti, exp }), '200')
  const written = await app.call('PATCH', `${SIGNERS}/${signerId}`, { audience: AUDIENCE }, { session })
  assert.equal(written.status, 200, written.text)
  const waitASecond = holdClock(t, app)
  assert.equal(await logIn({ jti: 'f', exp }), '200')
  for (let time = 0; time < 5; time++) assert.equal(await logIn({ jti: 'f', exp }), '401 UNAUTHORIZED', 'noted already')
  for (const jti of ['g', 'h']) assert.equal(await logIn({ jti, exp }), '200')
  assert.equal(await logIn({ jti: 'i', exp }), TOO_MANY)
  const noted = await app.store.db.selectFrom('used_credentials').select('digest').execute()
  assert.equal(noted.length, 8)
  waitASecond()
  assert.equal(await logIn({ jti: 'i', exp }), '200')
})

for (const [whose, isTrusted] of [
  ['that is not trusted', false],
  ['that is trusted', true],
] as const) {
  for (const [size, notes, fewest, most] of [
    ['small', [], 60, 60],
    ['large', NOTES, 5, 20],
  ] as const) {
    test(`R-22 ${size} entries of changes by tokens of a signer ${whose} count by their size`, async (t) => {
      const config = settingsFile(t, 'limits:\n  changeBurst: 10\n  changePerSecond: 1\n')
      const { app, createSigner, createIdentity, token } = await setUpProvider(t, {
        isAlone: 'controller',
        settings: { config },
      })
      const signerId = await createSigner({ attributeSync: 'login', enrollAttributeClaimsSelector: 'groups' })
      await createIdentity({ tags: Object.fromEntries(notes.map((note, at) => [`note-${at}`, note])) })
      if (!isTrusted) {
        const { session } = await app.makeIdentity({ permissions: ['external-jwt-signer', 'identity'] })
        const written = await app.call('PATCH', `${SIGNERS}/${signerId}`, { audience: AUDIENCE }, { session })
        assert.equal(written.status, 200, written.text)
      }
      const waitASecond = holdClock(t, app)
      const iat = Math.floor(app.clock.now() / 1000) - 60
      let changed = 0
      for (let time = 0; time < 70; time++) {
        waitASecond()
        const reply = summarize(await logInWithToken(app, token({ iat, groups: [`${time}`] })))
        assert.ok(reply === '200' || reply === TOO_MANY, reply)
        if (time >= 10 && reply === '200') changed++
      }
      assert.ok(changed >= fewest && changed <= most, `${changed} changes`)
    })
  }
}
