/** A request for every operation that authorises its actor. */
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { accountIdOf, newId, thumbprintOf } from '@countersign/core'
import { makeTestAuthority, makeTestCertificate, makeTestCsr, mintKey, mintKeySet } from '@countersign/testkit'
import { rotateApiAccount } from '../../src/operations/api-account/rotate-api-account.ts'
import { storeKeySet } from '../../src/operations/signer/store-key-set.ts'
import { createSealing } from '../../src/platform/keys/sealing.ts'
import { keyEndpoint } from '../../src/store/key-signer.ts'
import { KINDS } from '../hosted/hosted.fixture.ts'
import { createPolicy, POLICIES, policyBody } from '../http/auth-policies.fixture.ts'
import { TEST_SEALING_KEY } from '../http/build-app.ts'
import { CAS, caBody, caOf, makeCa } from '../http/cas.fixture.ts'
import { issueTo, makeHolder } from '../http/client-certificates.fixture.ts'
import { createEnrolling, ENROLLMENTS, enrollmentBody, inAnHour } from '../http/enrollments.fixture.ts'
import { makeSink, SINKS, sinkBody } from '../http/event-sinks.fixture.ts'
import { jwksBody, create as makeSigner, SIGNERS } from '../http/ext-jwt-signers.fixture.ts'
import {
  API_SESSIONS,
  AUTHENTICATORS,
  createIdentity,
  createPassword,
  IDENTITIES,
  identityBody,
} from '../http/identities.fixture.ts'
import { AUTHENTICATE_MFA, enrollTotp, MFA, startTotp } from '../http/one-time-codes.fixture.ts'
import {
  beginCompletion,
  beginRegistration,
  COMPLETE,
  mustRegister,
  newDevice,
  PASSKEYS,
} from '../http/passkeys.fixture.ts'
import { HOST, OidcClient } from '../oidc/oidc.fixture.ts'
import { type Actor, tradeForm, type World } from './actors.fixture.ts'

export interface RaceRequest {
  readonly method: string
  readonly path: string
  readonly body?: unknown
  /** Sent unchanged. */
  readonly raw?: string
  readonly headers?: Readonly<Record<string, string>>
  /** The certificate of the connection. */
  readonly tls?: { readonly cert: string; readonly key: string }
}

/** Creates what the request needs. Its target is the actor itself or a new entity. */
type Prepare = (world: World, actor: Actor) => Promise<RaceRequest> | RaceRequest

const OWN_AUTHENTICATORS = '/edge/client/v1/current-identity/authenticators'
const OWN_CERTIFICATES = '/edge/client/v1/current-api-session/certificates'
const ACCOUNTS = '/identity/v1/api-account-identities'
const PROVIDERS = '/identity/v1/identity-providers'
const JOBS = '/identity/v1/account-jobs'
const ORGANIZATIONS = '/identity/v1/organizations'
const OPERATOR = '/identity/v1/operator/organizations'
const NETWORKS = '/core/v3/networks'
const REMOVE_IN_LOGIN = { method: 'DELETE', path: '/oidc/login/totp/enroll', headers: { host: HOST } }

/** By the name of the operation. */
export const REQUESTS: Readonly<Record<string, Prepare>> = {
  'identity.create': () => ({ method: 'POST', path: IDENTITIES, body: identityBody() }),
  'identity.replace': async ({ app }) => ({
    method: 'PUT',
    path: `${IDENTITIES}/${await createIdentity(app)}`,
    body: identityBody(),
  }),
  'identity.patch': (_, { id, kind }) => ({
    method: 'PATCH',
    path: `${IDENTITIES}/${id}`,
    // The attack: an administrator who is being demoted makes itself an administrator again.
    body: kind === 'identity' ? { isAdmin: true } : { tags: { written: true } },
  }),
  'identity.delete': async ({ app }) => ({ method: 'DELETE', path: `${IDENTITIES}/${await createIdentity(app)}` }),
  'identity.disable': async ({ app }) => ({
    method: 'POST',
    path: `${IDENTITIES}/${await createIdentity(app)}/disable`,
    body: { durationMinutes: 5 },
  }),
  'identity.enable': (_, { id }) => ({ method: 'POST', path: `${IDENTITIES}/${id}/enable` }),
  'totp.reset': async ({ app }) => {
    const { id, session } = await app.makeIdentity()
    await enrollTotp(app, session)
    return { method: 'DELETE', path: `${IDENTITIES}/${id}/mfa` }
  },

  'passkey.reset': async ({ app }) => {
    const { id, session } = await app.makeIdentity()
    const passkeyId = await mustRegister(app, { session, device: newDevice() })
    return { method: 'DELETE', path: `${IDENTITIES}/${id}/passkeys/${passkeyId}` }
  },

  'signer.create': () => ({ method: 'POST', path: SIGNERS, body: jwksBody() }),
  'signer.replace': async ({ app }) => ({
    method: 'PUT',
    path: `${SIGNERS}/${await makeSigner(app)}`,
    body: jwksBody(),
  }),
  'signer.patch': async ({ app }) => ({
    method: 'PATCH',
    path: `${SIGNERS}/${await makeSigner(app)}`,
    body: { enabled: false },
  }),
  'signer.delete': async ({ app }) => ({ method: 'DELETE', path: `${SIGNERS}/${await makeSigner(app)}` }),
  'scim.createToken': async ({ app }) => ({ method: 'POST', path: `${SIGNERS}/${await makeSigner(app)}/scim-tokens` }),
  'scim.deleteToken': async ({ app }) => {
    const path = `${SIGNERS}/${await makeSigner(app)}/scim-tokens`
    return { method: 'DELETE', path: `${path}/${(await app.admin('POST', path)).json.data.id}` }
  },
  'signer.pushKeys': async ({ app }) => ({
    method: 'PUT',
    path: `${SIGNERS}/${await makeSigner(app, jwksBody({ jwksEndpoint: null, pushedKeys: { maxAgeSeconds: 300 } }))}/pushed-keys`,
    body: mintKeySet(mintKey('P-256')),
    headers: { 'if-match': '*' },
  }),
  'signer.confirmKeys': async ({ app }) => {
    const body = jwksBody({ requireKeyContinuity: true })
    const id = await makeSigner(app, body)
    for (const name of ['earlier', 'later']) {
      const now = app.clock.now() + 60_000
      const { jwk, publicKey } = mintKey('P-256', name)
      const jwks = JSON.stringify({ keys: [jwk] })
      const keySet = { ...keyEndpoint(String(body.jwksEndpoint), null), jwks, thumbprints: [thumbprintOf(publicKey)] }
      await app.store.run(storeKeySet, { signerId: id, ...keySet, fetchedAt: now }, { actorId: 'system', now })
    }
    return { method: 'POST', path: `${SIGNERS}/${id}/confirm-keys` }
  },
  'signer.trust': async ({ app }) => ({ method: 'POST', path: `${SIGNERS}/${await makeSigner(app)}/trust` }),

  'ca.create': () => ({ method: 'POST', path: CAS, body: caBody(makeTestAuthority().pem) }),
  'ca.replace': async ({ app }) => ({
    method: 'PUT',
    path: `${CAS}/${(await makeCa(app)).id}`,
    body: { ...caBody(''), identityNameFormat: '' },
  }),
  'ca.patch': async ({ app }) => ({
    method: 'PATCH',
    path: `${CAS}/${(await makeCa(app)).id}`,
    body: { isAuthEnabled: false },
  }),
  'ca.verify': async ({ app }) => {
    const { id, authority: issuer } = await makeCa(app, { isVerified: false })
    const { verificationToken: commonName } = await caOf(app, id)
    return { method: 'POST', path: `${CAS}/${id}/verify`, body: makeTestCertificate({ issuer, commonName }).pem }
  },
  'ca.trust': async ({ app }) => ({ method: 'POST', path: `${CAS}/${(await makeUntrustedCa(app)).id}/trust` }),
  'ca.delete': async ({ app }) => ({ method: 'DELETE', path: `${CAS}/${(await makeCa(app)).id}` }),

  'eventSink.create': () => ({ method: 'POST', path: SINKS, body: sinkBody() }),
  'eventSink.replace': async ({ app }) => ({
    method: 'PUT',
    path: `${SINKS}/${await makeSink(app, idleSink())}`,
    body: sinkBody(),
  }),
  'eventSink.patch': async ({ app }) => ({
    method: 'PATCH',
    path: `${SINKS}/${await makeSink(app, idleSink())}`,
    body: { format: 'cloudevents' },
  }),
  'eventSink.delete': async ({ app }) => ({ method: 'DELETE', path: `${SINKS}/${await makeSink(app, idleSink())}` }),
  'eventSink.replay': async ({ app }) => ({
    method: 'POST',
    path: `${SINKS}/${await makeSink(app, idleSink())}/replay`,
    body: { from: 1 },
  }),

  'authPolicy.create': () => ({ method: 'POST', path: POLICIES, body: policyBody() }),
  'authPolicy.replace': async ({ app }) => ({
    method: 'PUT',
    path: `${POLICIES}/${await createPolicy(app)}`,
    body: policyBody(),
  }),
  'authPolicy.patch': async ({ app }) => ({
    method: 'PATCH',
    path: `${POLICIES}/${await createPolicy(app)}`,
    body: { name: newId() },
  }),
  'authPolicy.delete': async ({ app }) => ({ method: 'DELETE', path: `${POLICIES}/${await createPolicy(app)}` }),

  'authenticator.createPassword': async ({ app }) => ({
    method: 'POST',
    path: AUTHENTICATORS,
    body: { method: 'updb', identityId: await createIdentity(app), username: newId(), password: 'a-password' },
  }),
  'authenticator.createCertificate': async ({ app }) => {
    const identityId = await createIdentity(app)
    const { certPem } = await issueTo(app, identityId)
    return { method: 'POST', path: AUTHENTICATORS, body: { method: 'cert', identityId, certPem } }
  },
  'authenticator.update': async (world) => ({
    method: 'PATCH',
    path: await passwordOf(world),
    body: { password: 'another-password' },
  }),
  'authenticator.delete': async (world) => ({ method: 'DELETE', path: await passwordOf(world) }),
  'authenticator.reEnroll': async (world) => ({
    method: 'POST',
    path: `${await passwordOf(world)}/re-enroll`,
    body: { expiresAt: inAnHour(world.app) },
  }),
  'authenticator.requestExtend': async ({ app }) => ({
    method: 'POST',
    path: `${AUTHENTICATORS}/${(await makeHolder(app)).authenticatorId}/request-extend`,
  }),
  'authenticator.requestExtendOf': async ({ app }) => ({
    method: 'POST',
    path: `${IDENTITIES}/${(await makeHolder(app)).id}/request-extend`,
  }),
  'authenticator.updateOwn': async (world, actor) => {
    const { id, password } = await ownPassword(world, actor)
    const body = { currentPassword: password, password: 'another-password', username: newId() }
    return { method: 'PUT', path: `${OWN_AUTHENTICATORS}/${id}`, body }
  },
  'authenticator.stageRenewal': async (world, actor) => {
    const { path, tls } = await ownCertificate(world, actor)
    return { method: 'POST', path: `${path}/extend`, body: { clientCertCsr: makeTestCsr().pem }, tls }
  },
  'authenticator.finishRenewal': async (world, actor) => {
    const { path, tls } = await ownCertificate(world, actor)
    const body = { clientCertCsr: makeTestCsr().pem }
    const reply = await world.overTls('POST', `${path}/extend`, { ...tls, ...actor.credentials, body })
    assert.equal(reply.status, 200, reply.text)
    return { method: 'POST', path: `${path}/extend-verify`, body: { clientCert: reply.json.data.clientCert } }
  },

  'enrollment.create': async ({ app }) => ({
    method: 'POST',
    path: ENROLLMENTS,
    body: enrollmentBody(app, await createIdentity(app)),
  }),
  'enrollment.refresh': async ({ app }) => ({
    method: 'POST',
    path: `${ENROLLMENTS}/${(await createEnrolling(app)).id}/refresh`,
    body: { expiresAt: inAnHour(app) },
  }),
  'enrollment.delete': async ({ app }) => ({
    method: 'DELETE',
    path: `${ENROLLMENTS}/${(await createEnrolling(app)).id}`,
  }),

  'apiSession.delete': async ({ app }) => {
    const { session } = await app.makeIdentity()
    const own = await app.call('GET', '/edge/client/v1/current-api-session', undefined, { session })
    return { method: 'DELETE', path: `${API_SESSIONS}/${own.json.data.id}` }
  },
  'apiSession.deleteAllOf': async ({ app }) => ({
    method: 'DELETE',
    path: `${IDENTITIES}/${(await app.makeIdentity()).id}/api-sessions`,
  }),
  'revocation.create': async ({ app }) => ({
    method: 'POST',
    path: '/edge/management/v1/revocations',
    body: { id: (await app.makeIdentity()).id, type: 'IDENTITY' },
  }),
  'sessionCertificate.create': () => ({ method: 'POST', path: OWN_CERTIFICATES, body: { csr: makeTestCsr().pem } }),
  'sessionCertificate.delete': async ({ app }, { credentials }) => {
    const reply = await app.call('POST', OWN_CERTIFICATES, { csr: makeTestCsr().pem }, credentials)
    assert.equal(reply.status, 201, reply.text)
    return { method: 'DELETE', path: `${OWN_CERTIFICATES}/${reply.json.data.id}` }
  },

  'passkey.register': async ({ app }, actor) => {
    const credential = await newDevice().create(await beginRegistration(app, sessionOf(actor)))
    return { method: 'POST', path: PASSKEYS, body: { credential } }
  },
  'passkey.pass': async ({ app }, actor) => {
    const [session, device] = [sessionOf(actor), newDevice()]
    await mustRegister(app, { session, device })
    const passkey = await device.get(await beginCompletion(app, session))
    return { method: 'POST', path: COMPLETE, body: { passkey } }
  },
  'passkey.rename': async ({ app }, actor) => ({
    method: 'PATCH',
    path: `${PASSKEYS}/${await mustRegister(app, { session: sessionOf(actor), device: newDevice() })}`,
    body: { name: newId() },
  }),
  'passkey.remove': async ({ app }, actor) => ({
    method: 'DELETE',
    path: `${PASSKEYS}/${await mustRegister(app, { session: sessionOf(actor), device: newDevice() })}`,
  }),

  'totp.start': () => ({ method: 'POST', path: MFA }),
  'totp.verify': async ({ app }, actor) => {
    const device = await startTotp(app, sessionOf(actor))
    return { method: 'POST', path: `${MFA}/verify`, body: { code: device.code() } }
  },
  'totp.pass': async ({ app }, actor) => {
    const { recoveryCodes } = await enrollTotp(app, sessionOf(actor))
    return { method: 'POST', path: AUTHENTICATE_MFA, body: { code: recoveryCodes[0] } }
  },
  'totp.checkCode': async ({ app }, actor) => {
    const { recoveryCodes } = await enrollTotp(app, sessionOf(actor))
    const headers = { 'mfa-validation-code': recoveryCodes[0] ?? '' }
    return { method: 'GET', path: `${MFA}/recovery-codes`, headers }
  },
  'totp.renewRecoveryCodes': async ({ app }, actor) => {
    const { recoveryCodes } = await enrollTotp(app, sessionOf(actor))
    return { method: 'POST', path: `${MFA}/recovery-codes`, body: { code: recoveryCodes[0] } }
  },
  'totp.remove': async ({ app }, actor) => {
    const { recoveryCodes } = await enrollTotp(app, sessionOf(actor))
    return { method: 'DELETE', path: MFA, headers: { 'mfa-validation-code': recoveryCodes[0] ?? '' } }
  },

  'totp.removeInLogin': async (world, actor) => {
    const { recoveryCodes } = await enrollTotp(world.app, sessionOf(actor))
    const { login } = await logInByOidc(world, actor)
    return { ...REMOVE_IN_LOGIN, body: { id: login.id, code: recoveryCodes[0] } }
  },
  'totp.discardInLogin': async (world, actor) => {
    const { client, login } = await logInByOidc(world, actor)
    const body = { id: login.id }
    assert.equal((await client.call('POST', REMOVE_IN_LOGIN.path, { json: body })).status, 201)
    return { ...REMOVE_IN_LOGIN, body }
  },

  'apiAccount.create': async (world) => {
    const identityProviderId = await makeProvider(world)
    const members = { identityProviderId, clientId: newId(), contactEmail: 'ops@example.com' }
    return { method: 'POST', path: ACCOUNTS, body: { name: newId(), ...members } }
  },
  'apiAccount.replace': async (world) => {
    const { id, identityProviderId } = await makeOtherAccount(world)
    const body = { name: newId(), identityProviderId, contactEmail: 'ops@example.com' }
    return { method: 'PUT', path: `${ACCOUNTS}/${id}`, body }
  },
  'apiAccount.patch': async (world) => ({
    method: 'PATCH',
    path: `${ACCOUNTS}/${(await makeOtherAccount(world)).id}`,
    body: { role: 'admin' },
  }),
  'apiAccount.rotate': async (world) => ({
    method: 'POST',
    path: `${ACCOUNTS}/${(await makeOtherAccount(world)).id}/rotate`,
    body: { clientId: newId() },
  }),
  'apiAccount.delete': async (world) => ({
    method: 'DELETE',
    path: `${ACCOUNTS}/${(await makeOtherAccount(world)).id}`,
  }),
  'apiAccount.ensureIdentity': ({ networkId }) => ({
    method: 'POST',
    path: `${NETWORKS}/${networkId}/exchange`,
    body: { type: 'session' },
  }),
  'apiAccount.issueToken': (_, actor) => ({
    method: 'POST',
    path: '/auth/v1/token',
    raw: tradeForm(actor),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  }),

  'apiAccount.pickUp': async ({ app }, { id }) => {
    const accountId = accountIdOf(id)
    const sealedCredentials = createSealing(TEST_SEALING_KEY).seal('{}', `credentials ${accountId}`)
    const credential = { secretOf: '', replaced: [] }
    const account = await app.store.db
      .selectFrom('api_accounts')
      .select('organization_id as organizationId')
      .where('id', '=', accountId)
      .executeTakeFirstOrThrow()
    const args = { id: accountId, ...account, credential, overlapMs: 60_000, sealedCredentials }
    await app.store.run(rotateApiAccount, args, { actorId: 'system', now: app.clock.now() })
    return { method: 'POST', path: `${ACCOUNTS}/${accountId}/pick-up` }
  },
  'accountJob.begin': async (world) => {
    const members = { registrationUrl: await startRegistration() }
    const identityProviderId = await makeHosted(world, PROVIDERS, { ...providerBody(), ...members })
    return { method: 'POST', path: ACCOUNTS, body: { name: newId(), identityProviderId } }
  },
  'accountJob.dismiss': async (world) => {
    const members = { registrationUrl: await startRegistration(503) }
    const identityProviderId = await makeHosted(world, PROVIDERS, { ...providerBody(), ...members })
    const name = newId()
    await world.app.admin('POST', ACCOUNTS, { name, identityProviderId })
    const { json } = await world.app.admin('GET', JOBS)
    const job = json.find(({ accountName }: { accountName: string }) => accountName === name)
    return { method: 'DELETE', path: `${JOBS}/${job.id}` }
  },

  'identityProvider.noteTest': async (world) => ({
    method: 'POST',
    path: `${PROVIDERS}/${await makeHosted(world, PROVIDERS, providerBody())}/test`,
  }),
  'identityProvider.create': () => ({ method: 'POST', path: PROVIDERS, body: providerBody() }),
  'identityProvider.replace': async (world) => ({
    method: 'PUT',
    path: `${PROVIDERS}/${await makeProvider(world)}`,
    body: providerBody(),
  }),
  'identityProvider.patch': async (world) => ({
    method: 'PATCH',
    path: `${PROVIDERS}/${await makeProvider(world)}`,
    body: { name: newId() },
  }),
  'identityProvider.delete': async (world) => ({ method: 'DELETE', path: `${PROVIDERS}/${await makeProvider(world)}` }),

  'organization.create': () => ({ method: 'POST', path: ORGANIZATIONS, body: organizationBody() }),
  'organization.update': async (world) => ({
    method: 'PATCH',
    path: `${ORGANIZATIONS}/${await makeOrganization(world)}`,
    body: { name: newId() },
  }),
  'organization.delete': async (world) => ({
    method: 'DELETE',
    path: `${ORGANIZATIONS}/${await makeOrganization(world)}`,
  }),

  'organization.suspend': async (world) => ({
    method: 'POST',
    path: `${OPERATOR}/${await makeOrganization(world)}/suspend`,
    body: { reason: 'no payment' },
  }),
  'organization.resume': async (world) => ({
    method: 'POST',
    path: `${OPERATOR}/${await makeOrganization(world)}/resume`,
  }),
  'organization.setQuotas': async (world) => ({
    method: 'PUT',
    path: `${OPERATOR}/${await makeOrganization(world)}/quotas`,
    body: { networks: 5 },
  }),

  'network.create': () => ({ method: 'POST', path: NETWORKS, body: networkBody() }),
  'network.replace': async (world) => ({
    method: 'PUT',
    path: `${NETWORKS}/${await makeNetwork(world)}`,
    body: networkBody(),
  }),
  'network.patch': async (world) => ({
    method: 'PATCH',
    path: `${NETWORKS}/${await makeNetwork(world)}`,
    body: { name: newId() },
  }),
  'network.delete': async (world) => ({ method: 'DELETE', path: `${NETWORKS}/${await makeNetwork(world)}` }),
}

async function makeUntrustedCa(app: World['app']) {
  const { session } = await app.makeIdentity({ permissions: ['ca'] })
  return makeCa(app, { session })
}

function sessionOf({ credentials: { session } }: Actor): string {
  return session ?? assert.fail('the actor has no session')
}

async function passwordOf({ app }: World): Promise<string> {
  return `${AUTHENTICATORS}/${(await createPassword(app, await createIdentity(app))).id}`
}

async function ownPassword({ app }: World, { id, password }: Actor) {
  const row = await app.store.db
    .selectFrom('authenticators')
    .select(['id', 'username'])
    .where('identity_id', '=', id)
    .where('method', '=', 'updb')
    .executeTakeFirstOrThrow()
  return { id: row.id, username: row.username ?? '', password }
}

/** A login of the OpenID provider whose code is not redeemed. */
async function logInByOidc(world: World, actor: Actor) {
  const client = new OidcClient(world.app)
  const login = await client.begin()
  const { username, password } = await ownPassword(world, actor)
  await client.logInByPassword(login, username, password)
  return { client, login }
}

async function ownCertificate({ app }: World, { id: identityId }: Actor) {
  const { certPem, cert, key } = await issueTo(app, identityId)
  const reply = await app.admin('POST', AUTHENTICATORS, { method: 'cert', identityId, certPem })
  assert.equal(reply.status, 201, reply.text)
  return { path: `${OWN_AUTHENTICATORS}/${reply.json.data.id}`, tls: { cert, key } }
}

/** A registration endpoint (RFC 7591), which does not keep the process alive. Returns its URL. */
async function startRegistration(status = 201): Promise<string> {
  const server = createServer((_, response) => {
    const client = { client_id: newId(), client_secret: 's' }
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(client))
  }).unref()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/register`
}

/** Deliveries change the row of an enabled one. */
const idleSink = () => ({ ...sinkBody(), enabled: false })

const providerBody = () => {
  const name = newId()
  const { record } = KINDS.cognito
  return {
    name,
    ...record,
    issuer: record.issuer + name,
    jwksUri: 'https://keys.example/jwks',
    tokenUrl: 'https://idp.example/token',
  }
}

const organizationBody = () => ({ name: newId(), label: newId().slice(0, 20) })

const networkBody = () => ({ name: newId(), controllerUrl: 'https://ctrl.example.net' })

const makeProvider = (world: World) => makeHosted(world, PROVIDERS, providerBody())
const makeOrganization = (world: World) => makeHosted(world, ORGANIZATIONS, organizationBody())
const makeNetwork = (world: World) => makeHosted(world, NETWORKS, networkBody())

async function makeOtherAccount(world: World) {
  const identityProviderId = await makeProvider(world)
  return { id: await world.createAccount(identityProviderId, newId(), { role: 'read-only' }), identityProviderId }
}

async function makeHosted({ app, bodyOf }: World, path: string, body: object): Promise<string> {
  return bodyOf(await app.admin('POST', path, body)).id
}
