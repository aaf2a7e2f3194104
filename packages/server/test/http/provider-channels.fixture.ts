/** Shared by the tests of what identity providers send besides tokens for logins. */
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { newId } from '@countersign/core'
import { type MintKey, type MintOptions, mintToken } from '@countersign/testkit'
import type { AppOptions, Reply, TestApp } from './build-app.ts'
import { ALICE, AUDIENCE, ISSUER, logInWithToken, setUpProvider } from './provider.fixture.ts'

type Members = Readonly<Record<string, unknown>>

export const LOGOUT_EVENT = 'http://schemas.openid.net/event/backchannel-logout'
export const IDENTITIES = '/edge/management/v1/identities'

/** Signers whose logins create the identities that they name. */
export const PROVISIONING = { enrollToTokenEnabled: true, provisionOnLogin: true }

export const channelPath = (signerId: string, name: string): string =>
  `/edge/client/v1/external-jwt-signers/${signerId}/${name}`

export function sendLogout(app: TestApp, signerId: string, token: string): Promise<Reply> {
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const raw = new URLSearchParams({ logout_token: token }).toString()
  return app.call('POST', channelPath(signerId, 'backchannel-logout'), undefined, { headers, raw })
}

/** A controller with a provider whose first logins create identities. */
export async function setUpChannels(t: TestContext, signer: Members = {}, options: Omit<AppOptions, 'fetchJwks'> = {}) {
  const provider = await setUpProvider(t, options)
  const { app, key, token, createSigner } = provider
  const signerId = await createSigner({ ...PROVISIONING, ...signer })
  const seconds = () => Math.floor(app.clock.now() / 1000)
  const logIn = async (claims: Members = {}): Promise<string> => {
    const reply = await logInWithToken(app, token(claims))
    assert.equal(reply.status, 200, reply.text)
    return reply.json.data.token
  }
  return {
    ...provider,
    signerId,
    seconds,
    logIn,
    /** A logout token of the provider for Alice; undefined removes a claim. */
    logoutToken: (claims: Members = {}, mint: Partial<MintOptions> = {}, with_: MintKey = key) => {
      const now = seconds()
      const times = { iat: now, exp: now + 120, jti: newId() }
      const usual = { iss: ISSUER, aud: AUDIENCE, sub: ALICE, ...times, events: { [LOGOUT_EVENT]: {} } }
      return mintToken({ key: with_, header: { typ: 'logout+jwt' }, claims: { ...usual, ...claims }, ...mint })
    },
    isLive: async (session: string): Promise<boolean> => {
      const { status } = await app.call('GET', '/edge/client/v1/current-api-session', undefined, { session })
      assert.ok(status === 200 || status === 401, String(status))
      return status === 200
    },
    find: async (externalId: string = ALICE) =>
      (await app.admin('GET', `${IDENTITIES}?filter=externalId = "${externalId}"`)).json.data[0],
  }
}
