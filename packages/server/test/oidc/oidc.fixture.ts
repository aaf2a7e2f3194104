import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { ADMIN_PASSWORD, type CallOptions, type Reply, type TestApp } from '../http/build-app.ts'

export const HOST = '127.0.0.1:1280'
export const ISSUER = `https://${HOST}/oidc`
export const REDIRECT_URI = 'http://localhost:8080/auth/callback'
const FORM = 'application/x-www-form-urlencoded'

type Members = Readonly<Record<string, string | undefined>>

export const encodeForm = (members: Members): string =>
  new URLSearchParams(
    Object.entries(members).filter((entry): entry is [string, string] => entry[1] !== undefined),
  ).toString()

/** A login in progress, as a client sees it. */
export interface BegunLogin {
  readonly id: string
  readonly verifier: string
  readonly location: string
}

export interface Tokens {
  readonly access_token: string
  readonly refresh_token: string
  readonly id_token: string
  readonly expires_in: number
  readonly scope: string
  readonly token_type: string
  readonly session_cert?: string
}

/** A client of the OpenID provider of a test app. */
export class OidcClient {
  readonly app: TestApp
  readonly clientId: string

  constructor(app: TestApp, clientId = 'openziti') {
    this.app = app
    this.clientId = clientId
  }

  /** Sends a request to the provider at its own address. */
  call(method: string, path: string, options: CallOptions & { readonly form?: Members; readonly json?: unknown } = {}) {
    const { form, json, headers, ...rest } = options
    const type = form ? { 'content-type': FORM } : {}
    const raw = form ? { raw: encodeForm(form) } : {}
    return this.app.call(method, path, json, { ...rest, ...raw, headers: { host: HOST, ...type, ...headers } })
  }

  authorizeParameters(members: Members = {}, verifier = newVerifier()): Members {
    return {
      client_id: this.clientId,
      response_type: 'code',
      scope: 'openid offline_access',
      state: 'S1',
      nonce: 'N1',
      code_challenge: challengeOf(verifier),
      code_challenge_method: 'S256',
      redirect_uri: REDIRECT_URI,
      ...members,
    }
  }

  authorize(members: Members = {}, verifier = newVerifier(), options: CallOptions = {}): Promise<Reply> {
    return this.call('GET', `/oidc/authorize?${encodeForm(this.authorizeParameters(members, verifier))}`, options)
  }

  async begin(members: Members = {}, options: CallOptions = {}): Promise<BegunLogin> {
    const verifier = newVerifier()
    const reply = await this.authorize(members, verifier, options)
    assert.equal(reply.status, 302, reply.text)
    const location = reply.headers.location ?? ''
    const id = new URL(location, ISSUER).searchParams.get('authRequestID')
    assert.ok(id, location)
    return { id, verifier, location }
  }

  logInByPassword({ id }: BegunLogin, username: string, password: string, options: CallOptions = {}): Promise<Reply> {
    return this.call('POST', '/oidc/login/password', { form: { id, username, password }, ...options })
  }

  async code({ id }: BegunLogin): Promise<string> {
    const reply = await this.call('GET', `/oidc/authorize/callback?id=${id}`)
    assert.equal(reply.status, 302, reply.text)
    const url = new URL(reply.headers.location ?? '')
    const code = url.searchParams.get('code')
    assert.ok(code, url.href)
    return code
  }

  token(form: Members, options: CallOptions = {}): Promise<Reply> {
    return this.call('POST', '/oidc/oauth/token', { form: { client_id: this.clientId, ...form }, ...options })
  }

  redeem(code: string, { verifier }: Pick<BegunLogin, 'verifier'>, members: Members = {}, options: CallOptions = {}) {
    const form = { grant_type: 'authorization_code', code, code_verifier: verifier, redirect_uri: REDIRECT_URI }
    return this.token({ ...form, ...members }, options)
  }

  /** Redeems the code of a login that is complete. */
  async finish(login: BegunLogin, options: CallOptions = {}): Promise<Tokens> {
    const reply = await this.redeem(await this.code(login), login, {}, options)
    assert.equal(reply.status, 200, reply.text)
    return reply.json
  }

  /** Logs in by password, in all steps. */
  async logIn(username = 'admin', password = ADMIN_PASSWORD, members: Members = {}): Promise<Tokens> {
    const login = await this.begin(members)
    const reply = await this.logInByPassword(login, username, password)
    assert.equal(reply.status, 302, reply.text)
    return this.finish(login)
  }

  refresh(refreshToken: string, members: Members = {}, options: CallOptions = {}): Promise<Reply> {
    return this.token({ grant_type: 'refresh_token', refresh_token: refreshToken, ...members }, options)
  }

  exchange(
    subjectToken: string,
    types: { readonly subject?: string; readonly requested?: string },
    members: Members = {},
  ) {
    const urn = (kind: string | undefined) => kind && `urn:ietf:params:oauth:token-type:${kind}`
    return this.token({
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      subject_token: subjectToken,
      subject_token_type: urn(types.subject ?? 'refresh_token'),
      requested_token_type: urn(types.requested),
      ...members,
    })
  }

  /** Calls an edge API with an access token. */
  get(token: string, path = '/edge/client/v1/current-identity', headers: Record<string, string> = {}): Promise<Reply> {
    return this.call('GET', path, { headers: { authorization: `Bearer ${token}`, ...headers } })
  }
}

/** Writes a settings file for one test. */
export function settingsFile(t: TestContext, text: string): string {
  const dir = mkdtempSync(join(tmpdir(), 'countersign-oidc-'))
  t.after(() => rmSync(dir, { recursive: true, force: true }))
  const file = join(dir, 'settings.yaml')
  writeFileSync(file, text)
  return file
}

export const newVerifier = (): string => randomBytes(32).toString('base64url')
export const challengeOf = (verifier: string): string => createHash('sha256').update(verifier).digest('base64url')

/** The claims of a JWT, not verified. */
// biome-ignore lint/suspicious/noExplicitAny: tests read claims of every shape
export function claimsOf(token: string): any {
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
}
