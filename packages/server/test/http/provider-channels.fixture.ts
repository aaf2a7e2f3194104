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

export const issSub = (sub: string, iss = ISSUER) => ({ format: 'iss_sub', iss, sub })

export function sendLogout(app: TestApp, signerId: string, token: string): Promise<Reply> {
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const raw = new URLSearchParams({ logout_token: token }).toString()
  return app.call('POST', channelPath(signerId, 'backchannel-logout'), undefined, { headers, raw })
}

const EVENTS = 'https://schemas.openid.net/secevent'
/** The URIs of events by their names. */
export const EVENT_URIS = {
  'session-revoked': `${EVENTS}/caep/event-type/session-revoked`,
  'credential-change': `${EVENTS}/caep/event-type/credential-change`,
  'token-claims-change': `${EVENTS}/caep/event-type/token-claims-change`,
  'account-disabled': `${EVENTS}/risc/event-type/account-disabled`,
  'account-enabled': `${EVENTS}/risc/event-type/account-enabled`,
  verification: `${EVENTS}/ssf/event-type/verification`,
} as const
export type EventName = keyof typeof EVENT_URIS

export const SIGNALS = { audience: 'signals' }

export function sendEvent(app: TestApp, signerId: string, raw: string): Promise<Reply> {
  const headers = { 'content-type': 'application/secevent+jwt', accept: 'application/json' }
  return app.call('POST', channelPath(signerId, 'events'), undefined, { headers, raw })
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
    /** A security event token of the provider about Alice. */
    eventToken: (event: EventName, claims: Members = {}, mint: Partial<MintOptions> = {}, with_: MintKey = key) => {
      const usual = { iss: ISSUER, aud: SIGNALS.audience, iat: seconds(), jti: newId(), sub_id: issSub(ALICE) }
      const events = { [EVENT_URIS[event]]: {} }
      return mintToken({
        key: with_,
        header: { typ: 'secevent+jwt' },
        claims: { ...usual, events, ...claims },
        ...mint,
      })
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
