import assert from 'node:assert/strict'
import { test } from 'node:test'
import { totpCode, totpStep } from '@countersign/core'
import { readProvisioningSecret } from '@countersign/testkit'
import { createPolicy } from '../http/auth-policies.fixture.ts'
import { ADMIN_PASSWORD, buildApp, type Reply } from '../http/build-app.ts'
import { enrollTotp, makeUser } from '../http/one-time-codes.fixture.ts'
import { makeSecondSigner, makeStrictPolicy } from '../http/second-token.fixture.ts'
import { type BegunLogin, newVerifier, OidcClient, REDIRECT_URI } from './oidc.fixture.ts'

const HTML = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }

/** A browser: it keeps its cookie, asks for pages and sends their forms. */
class Browser {
  readonly client: OidcClient
  cookie: string | undefined

  constructor(client: OidcClient) {
    this.client = client
  }

  get headers(): Record<string, string> {
    return { ...HTML, ...(this.cookie !== undefined && { cookie: this.cookie }) }
  }

  async open(path: string): Promise<Reply> {
    const reply = await this.client.call('GET', path, { headers: this.headers })
    const [set] = [reply.headers['set-cookie']].flat()
    if (set) this.cookie = set.split(';', 1)[0]
    return reply
  }

  send(path: string, form: Record<string, string>): Promise<Reply> {
    return this.client.call('POST', `/oidc/login/${path}`, { form, headers: this.headers })
  }

  async begin(members: Record<string, string> = {}): Promise<BegunLogin & { readonly page: Reply }> {
    const verifier = newVerifier()
    const query = new URLSearchParams(this.client.authorizeParameters(members, verifier) as Record<string, string>)
    const reply = await this.open(`/oidc/authorize?${query}`)
    const location = reply.headers.location ?? ''
    const id = new URL(location, REDIRECT_URI).searchParams.get('authRequestID') ?? ''
    return { id, verifier, location, page: await this.open(location) }
  }
}

function assertPage(reply: Reply, text: RegExp, status = 200): void {
  assert.equal(reply.status, status, reply.text.slice(-400))
  assert.equal(reply.headers['content-type'], 'text/html; charset=utf-8')
  assert.match(reply.text, text)
  const policy = reply.headers['content-security-policy'] ?? ''
  assert.match(policy, /^default-src 'none'; style-src 'sha256-/)
  assert.match(policy, /frame-ancestors 'none'/)
  assert.doesNotMatch(reply.text, /<script|<link|src="http|@import/, 'it loads nothing')
}

test('U-07 a browser logs in on pages: password, wrong password, one-time code', async (t) => {
  const app = await buildApp(t)
  const browser = new Browser(new OidcClient(app))
  const user = await makeUser(app)
  const device = await enrollTotp(app, user.session)
  app.clock.advance(30_000)
  const login = await browser.begin()
  assertPage(login.page, /name="password"/)
  assert.match(login.page.headers['content-security-policy'] ?? '', /form-action 'self' http:\/\/localhost:8080;/)
  const { id } = login
  const wrong = await browser.send('username', { id, username: user.username, password: 'wrong' })
  assertPage(wrong, /role="alert"/, 401)
  const code = await browser.send('username', { id, username: user.username, password: user.password })
  assertPage(code, /name="code"/)
  const refused = await browser.send('totp', { id, code: device.wrongCode() })
  assertPage(refused, /role="alert"/)
  const accepted = await browser.send('totp', { id, code: device.code() })
  assert.equal(accepted.status, 302)
  const end = await browser.open(`/oidc/authorize/callback?id=${id}`)
  const target = new URL(end.headers.location ?? '')
  const redeemed = await browser.client.redeem(target.searchParams.get('code') ?? '', login)
  assert.equal(redeemed.status, 200)
})

test('U-07 a browser sets up one-time codes that the policy requires, and keeps its recovery codes', async (t) => {
  const app = await buildApp(t)
  const browser = new Browser(new OidcClient(app))
  const authPolicyId = await createPolicy(app, { secondary: { requireTotp: true } })
  const user = await makeUser(app, { authPolicyId, name: '<b>Mallory</b>' })
  const { id } = await browser.begin()
  const begin = await browser.send('username', { id, username: user.username, password: user.password })
  assertPage(begin, /totp\/enroll"/)
  assert.match(begin.text, /&lt;b&gt;Mallory&lt;\/b&gt;/)
  const setUp = await browser.send('totp/enroll', { id })
  assertPage(setUp, /data:image\/png;base64,/)
  assertPage(await browser.send('totp/enroll', { id }), /data:image/, 200)
  const secret = /type in this key: <code>([A-Z2-7]+)</.exec(setUp.text)?.[1] ?? ''
  assertPage(await browser.send('totp/enroll/verify', { id, code: '000000' }), /role="alert"/)
  const url = /href="(otpauth:[^"]+)"/.exec(setUp.text)?.[1]?.replaceAll('&amp;', '&') ?? ''
  assert.ok(url.includes(secret))
  const code = totpCode(readProvisioningSecret(url), totpStep(app.clock.now()))
  assert.equal((await browser.send('totp/enroll/verify', { id, code })).status, 302)
})

test('U-07 a browser gives a second token on a page', async (t) => {
  const app = await buildApp(t)
  const browser = new Browser(new OidcClient(app))
  const signer = await makeSecondSigner(app)
  const authPolicyId = await makeStrictPolicy(app, signer.id)
  const user = await makeUser(app, { authPolicyId, externalId: 'second-user' })
  const { id } = await browser.begin()
  const due = await browser.send('username', { id, username: user.username, password: user.password })
  assertPage(due, /name="token"/)
  assertPage(await browser.send('second-jwt', { id, token: signer.token('another') }), /role="alert"/)
  assert.equal((await browser.send('second-jwt', { id, token: signer.token('second-user') })).status, 302)
})

test('U-10 a browser sees only logins that it has begun itself', async (t) => {
  const app = await buildApp(t)
  const client = new OidcClient(app)
  const victim = new Browser(client)
  const attacker = new Browser(client)
  // The attacker sends the victim the address of a login, to collect its code: one begun by a program, one begun by a browser.
  const byProgram = await client.begin()
  const byBrowser = await attacker.begin()
  for (const { location, id } of [byProgram, byBrowser]) {
    const page = await victim.open(location)
    assertPage(page, /not started in this browser/, 404)
    assert.doesNotMatch(page.text, new RegExp(id))
  }
  // A page of the attacker makes the victim's browser send a form: the real page with the attacker's login must not be the answer.
  assert.equal((await client.logInByPassword(byProgram, 'admin', ADMIN_PASSWORD)).status, 302)
  for (const path of ['username', 'cert', 'ext-jwt', 'second-jwt', 'totp', 'totp/enroll', 'totp/enroll/verify']) {
    const page = await victim.send(path, { id: byProgram.id, username: 'x', password: 'x', token: 'x', code: '0' })
    assertPage(page, /not started in this browser/, 401)
  }
  assert.equal((await victim.open(`/oidc/authorize/callback?id=${byProgram.id}`)).status, 400)
  assert.ok(await client.code(byProgram), 'the program that began it goes on')
  const { id } = byBrowser
  const form = { id, username: 'admin', password: ADMIN_PASSWORD }
  assertPage(await victim.send('username', form), /not started in this browser/, 401)
  const withoutCookie = await client.call('POST', '/oidc/login/username', { form })
  assert.equal(withoutCookie.status, 401)
  assert.equal((await attacker.send('username', form)).status, 302)
  const stolen = await client.call('GET', `/oidc/authorize/callback?id=${id}`)
  assert.deepEqual([stolen.status, stolen.text], [400, 'request not found'])
  assert.equal((await attacker.open(`/oidc/authorize/callback?id=${id}`)).status, 302)
})

test('a browser can have two logins at a time', async (t) => {
  const app = await buildApp(t)
  const browser = new Browser(new OidcClient(app))
  const [first, second] = [await browser.begin(), await browser.begin()]
  for (const { id } of [second, first]) {
    assert.equal((await browser.send('username', { id, username: 'admin', password: ADMIN_PASSWORD })).status, 302)
  }
})

test('pages for a certificate and a token are shown when the client asks for that method', async (t) => {
  const app = await buildApp(t)
  const browser = new Browser(new OidcClient(app))
  assertPage((await browser.begin({ method: 'cert' })).page, /action="\/oidc\/login\/cert"/)
  assertPage((await browser.begin({ method: 'ext-jwt' })).page, /name="token"/)
  const custom = await browser.begin({ redirect_uri: 'openziti://auth/callback' })
  assert.match(custom.page.headers['content-security-policy'] ?? '', /form-action 'self' openziti:;/)
})
