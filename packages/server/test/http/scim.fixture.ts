/** Shared by the tests of SCIM: a controller with a signer, and an identity provider that has a token for it. */
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import type { AppOptions, CallOptions, Reply, TestApp } from './build-app.ts'
import { ALICE, logInWithToken, SIGNERS, setUpProvider } from './provider.fixture.ts'
import { IDENTITIES } from './provider-channels.fixture.ts'

type Members = Readonly<Record<string, unknown>>

export const USER_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:User'
export const GROUP_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:Group'
export const PATCH_SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:PatchOp'
export const ERROR_SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:Error'

/** Calls of the identity provider of a signer. */
export class ScimClient {
  readonly #app: TestApp
  readonly signerId: string
  readonly token: string

  constructor(app: TestApp, signerId: string, token: string) {
    this.#app = app
    this.signerId = signerId
    this.token = token
  }

  call(method: string, path: string, body?: unknown, { headers, ...options }: CallOptions = {}): Promise<Reply> {
    const hasBody = body !== undefined || options.raw !== undefined
    return this.#app.call(method, `/scim/v2/${this.signerId}${path}`, body, {
      ...options,
      headers: {
        authorization: `Bearer ${this.token}`,
        ...(hasBody && { 'content-type': 'application/scim+json' }),
        ...headers,
      },
    })
  }

  /** Sends a request that must succeed, and returns the body of the response. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read responses of every shape
  async send(method: string, path: string, body?: unknown): Promise<any> {
    const reply = await this.call(method, path, body)
    assert.ok(reply.status < 300, `${method} ${path}: ${reply.status} ${reply.text}`)
    return reply.json
  }

  /** Creates a user and returns its id. */
  async addUser(userName: string = ALICE, members: Members = {}): Promise<string> {
    return (await this.send('POST', '/Users', { schemas: [USER_SCHEMA], userName, ...members })).id
  }

  /** Creates a group and returns its id. */
  async addGroup(displayName: string, members: readonly string[] = []): Promise<string> {
    const body = { schemas: [GROUP_SCHEMA], displayName, members: members.map((value) => ({ value })) }
    return (await this.send('POST', '/Groups', body)).id
  }

  patch(path: string, ...operations: readonly Members[]): Promise<Reply> {
    return this.call('PATCH', path, patchBody(...operations))
  }

  setActive(id: string, active: boolean): Promise<Reply> {
    return this.patch(`/Users/${id}`, { op: 'replace', path: 'active', value: active })
  }
}

export function patchBody(...operations: readonly Members[]) {
  return { schemas: [PATCH_SCHEMA], Operations: operations }
}

export async function makeScimToken(app: TestApp, signerId: string) {
  const reply = await app.admin('POST', `${SIGNERS}/${signerId}/scim-tokens`)
  assert.equal(reply.status, 201, reply.text)
  return reply.json.data as { id: string; token: string }
}

/** A controller with a signer whose identity provider manages its users. */
export async function setUpScim(t: TestContext, signer: Members = {}, options: Omit<AppOptions, 'fetchJwks'> = {}) {
  const provider = await setUpProvider(t, options)
  const { app, createSigner, token } = provider
  const connect = async (id: string) => new ScimClient(app, id, (await makeScimToken(app, id)).token)
  const signerId = await createSigner(signer)
  return {
    ...provider,
    signerId,
    connect,
    scim: await connect(signerId),
    logIn: async (claims: Members = {}): Promise<string> => {
      const reply = await logInWithToken(app, token(claims))
      assert.equal(reply.status, 200, reply.text)
      return reply.json.data.token
    },
    isLive: async (session: string): Promise<boolean> => {
      const { status } = await app.call('GET', '/edge/client/v1/current-api-session', undefined, { session })
      assert.ok(status === 200 || status === 401, String(status))
      return status === 200
    },
    identity: async (id: string) => (await app.admin('GET', `${IDENTITIES}/${id}`)).json.data,
    patchIdentity: async (id: string, body: Members) => {
      const reply = await app.admin('PATCH', `${IDENTITIES}/${id}`, body)
      assert.equal(reply.status, 200, reply.text)
    },
  }
}

/** The status and keyword of a refusal, which must have the format of SCIM. */
export function refusal(reply: Reply): readonly [status: number, scimType: string | undefined] {
  const { status, headers, json, text } = reply
  assert.match(String(headers['content-type']), /^application\/scim\+json/, text)
  assert.deepEqual([json.schemas, json.status], [[ERROR_SCHEMA], String(status)], text)
  return [status, json.scimType]
}
