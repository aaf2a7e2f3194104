/** The actors of the race tests: an administrator, an API account by its token, and an API account by a session on this controller. */
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { newId, organizationAudience } from '@countersign/core'
import { KINDS, setUpHosted } from '../hosted/hosted.fixture.ts'
import type { CallOptions } from '../http/build-app.ts'
import { overTls, type TlsCall } from '../http/client-certificates.fixture.ts'
import { createIdentity, createPassword } from '../http/identities.fixture.ts'

export interface World extends Awaited<ReturnType<typeof setUpHosted>> {
  /** The organization that owns the controller. */
  readonly organizationId: string
  /** Its network. */
  readonly networkId: string
  readonly overTls: TlsCall
}

export interface Actor {
  readonly kind: 'identity' | 'account' | 'account session' | 'federated account' | 'traded token'
  /** The id of the identity. */
  readonly id: string
  readonly accountId: string
  readonly providerId: string
  readonly credentials: CallOptions
  /** Of an identity. */
  readonly password: string
  /** Of a federated account: the token of its provider. */
  readonly jobToken?: string
}

export async function setUpWorld(t: TestContext): Promise<World> {
  const hosted = await setUpHosted(t)
  const { db } = hosted.app.store
  const network = await db
    .selectFrom('networks')
    .select(['id as networkId', 'organization_id as organizationId'])
    .where('is_local', '=', true)
    .executeTakeFirstOrThrow()
  return { ...hosted, ...network, overTls: await overTls(hosted.app) }
}

/** An administrator with a session by password. */
export async function makeAdministrator({ app }: World): Promise<Actor> {
  const id = await createIdentity(app, { isAdmin: true })
  const { username, password } = await createPassword(app, id)
  const credentials = { session: await app.logIn(username, password) }
  return { kind: 'identity', id, accountId: '', providerId: '', credentials, password }
}

/** An API account with the role of an administrator, at a provider of its own. */
export async function makeAccount(world: World): Promise<Actor> {
  const { createProvider, createAccount, token } = world
  const clientId = newId()
  const issuer = KINDS.cognito.record.issuer + clientId
  const providerId = await createProvider('cognito', { name: clientId, issuer })
  const accountId = await createAccount(providerId, clientId, { role: 'admin' })
  const credentials = { headers: { authorization: `Bearer ${token('cognito', clientId, { iss: issuer })}` } }
  return { kind: 'account', id: `api-account:${accountId}`, accountId, providerId, credentials, password: '' }
}

/** The same, with a session on this controller. */
export async function makeAccountSession(world: World): Promise<Actor> {
  const account = await makeAccount(world)
  const path = `/core/v3/networks/${world.networkId}/exchange`
  const reply = await world.app.call('POST', path, { type: 'session' }, account.credentials)
  assert.equal(reply.status, 200, reply.text)
  return { ...account, kind: 'account session', credentials: { session: reply.json.value } }
}

/** A federated account with the role of an administrator, at a provider of its own, with a token of a job. */
export async function makeFederated(world: World): Promise<Actor> {
  const { app, createProvider, bodyOf, token } = world
  const name = newId()
  const issuer = `https://${name}.example`
  const audience = organizationAudience(world.organizationId)
  const providerId = await createProvider('keycloak', { name, issuer, audience })
  const body = { name, identityProviderId: providerId, kind: 'federated', conditions: { sub: name }, role: 'admin' }
  const { id: accountId } = bodyOf(await app.admin('POST', '/identity/v1/api-account-identities', body))
  const claims = { iss: issuer, aud: audience, sub: name, azp: undefined, client_id: undefined }
  const jobToken = token('keycloak', name, claims)
  const credentials = { headers: { authorization: `Bearer ${jobToken}` } }
  return {
    kind: 'federated account',
    id: `api-account:${accountId}`,
    accountId,
    providerId,
    credentials,
    password: '',
    jobToken,
  }
}

/** The same, with an access token of this controller. */
export async function makeTraded(world: World): Promise<Actor> {
  const account = await makeFederated(world)
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const reply = await world.app.call('POST', '/auth/v1/token', undefined, { headers, raw: tradeForm(account) })
  assert.equal(reply.status, 200, reply.text)
  const credentials = { headers: { authorization: `Bearer ${reply.json.access_token}` } }
  return { ...account, kind: 'traded token', credentials }
}

/** The form that trades the token of an actor. */
export function tradeForm({ jobToken = '' }: Pick<Actor, 'jobToken'>): string {
  return new URLSearchParams({
    grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
    subject_token: jobToken,
    subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
  }).toString()
}
