/** Shared by the tests of login by JWT: a controller, a provider with keys, and its tokens. */
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { readKeySet } from '@countersign/core'
import { type MintKey, mintKey, mintKeySet, mintToken } from '@countersign/testkit'
import type { JwksRequest } from '../../src/outbound/jwks-fetch.ts'
import type { OutboundError } from '../../src/outbound/outbound-error.ts'
import { type AppOptions, buildApp, type TestApp } from './build-app.ts'

export const ISSUER = 'https://idp.example'
export const AUDIENCE = 'overlay'
export const ALICE = 'alice@idp.example'
export const SIGNERS = '/edge/management/v1/ext-jwt-signers'
export const DECISIONS = '/edge/management/v1/auth-decisions'

type Members = Readonly<Record<string, unknown>>

/** A controller whose signers fetch the current keys of `provider`, or fail with its `failure`. */
export async function setUpProvider(t: TestContext, options: Omit<AppOptions, 'fetchJwks'> = {}) {
  const key = mintKey('RSA')
  const provider = {
    keys: [key] as MintKey[],
    /** By URL: other keys than `keys`. */
    keysAt: new Map<string, readonly MintKey[]>(),
    failure: undefined as OutboundError | undefined,
    /** The header of the last fetch. */
    authorization: undefined as string | undefined,
    fetchJwks,
  }
  async function fetchJwks({ url, authorization }: Pick<JwksRequest, 'url' | 'authorization'>) {
    provider.authorization = authorization
    if (provider.failure) throw provider.failure
    const keySet = mintKeySet(...(provider.keysAt.get(url) ?? provider.keys))
    return { keySet: readKeySet(Buffer.from(JSON.stringify(keySet))), freshForMs: undefined }
  }
  const app = await buildApp(t, { ...options, fetchJwks })
  const create = async (path: string, body: Members): Promise<string> => {
    const reply = await app.admin('POST', path, body)
    assert.equal(reply.status, 201, reply.text)
    return reply.json.data.id
  }
  const signerBody = { name: 'idp', enabled: true, issuer: ISSUER, audience: AUDIENCE, useExternalId: true }
  const jwksEndpoint = 'https://idp.example/jwks'
  const identityBody = { name: 'alice', type: 'Default', isAdmin: false, externalId: ALICE }
  return {
    app,
    provider,
    key,
    /** A token of the provider, valid for ten minutes by default. */
    token: (claims: Members = {}, with_: MintKey = key) => {
      const now = Math.floor(app.clock.now() / 1000)
      const usual = { iss: ISSUER, aud: AUDIENCE, sub: ALICE, exp: now + 600, iat: now }
      return mintToken({ key: with_, claims: { ...usual, ...claims } })
    },
    createSigner: (members: Members = {}) => create(SIGNERS, { ...signerBody, jwksEndpoint, ...members }),
    createIdentity: (members: Members = {}) =>
      create('/edge/management/v1/identities', { ...identityBody, ...members }),
    /** Returns the response of `explain` for a token. */
    explain: async (token: string, method?: string) => {
      const reply = await app.admin('POST', `${SIGNERS}/explain`, { token, ...(method && { method }) })
      assert.equal(reply.status, 200, reply.text)
      return reply.json.data
    },
  }
}

export function logInWithToken(app: TestApp, ...tokens: readonly string[]) {
  const headers = { authorization: tokens.map((token) => `Bearer ${token}`) as unknown as string }
  return app.call(
    'POST',
    '/edge/client/v1/authenticate?method=ext-jwt',
    undefined,
    tokens.length > 0 ? { headers } : {},
  )
}

/** Asserts that the reply is a refusal. Returns its request id. */
export async function refusalOf(reply: ReturnType<typeof logInWithToken>): Promise<string> {
  const { status, json, text } = await reply
  assert.equal(status, 401, text)
  return json.error.requestId
}

/** Lets every node store the decisions of its refusals, which a reading does. Without it, other nodes show them a little later. */
export async function storeDecisions(app: TestApp, session = app.adminSession): Promise<void> {
  for (const _ of app.stores) await app.call('GET', `${DECISIONS}?limit=1`, undefined, { session })
}

// biome-ignore lint/suspicious/noExplicitAny: tests read responses of every shape
export async function decisionOf(app: TestApp, id: string): Promise<any> {
  await storeDecisions(app)
  const reply = await app.admin('GET', `${DECISIONS}/${id}`)
  assert.equal(reply.status, 200, reply.text)
  return reply.json.data
}

/** The parts of a token that are long enough to search for. */
export const partsOf = (token: string): string[] => token.split('.').filter((part) => part.length > 20)
