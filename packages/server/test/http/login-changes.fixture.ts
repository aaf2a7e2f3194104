/** Shared by the tests of indirect power: an identity with everything that its login rests on, and the calls that can change it. */
import assert from 'node:assert/strict'
import { createPolicy, POLICIES, policyBody } from './auth-policies.fixture.ts'
import type { TestApp } from './build-app.ts'
import { CAS, CLAIM, caBody, makeCa } from './cas.fixture.ts'
import { issueTo } from './client-certificates.fixture.ts'
import { ENROLLMENTS, enrollmentBody, inAnHour } from './enrollments.fixture.ts'
import { SINKS } from './event-sinks.fixture.ts'
import { create, jwksBody, OLD_SIGNERS, SIGNERS } from './ext-jwt-signers.fixture.ts'
import { AUTHENTICATORS, createIdentity, IDENTITIES, identityBody } from './identities.fixture.ts'
import { makeUser, startTotp } from './one-time-codes.fixture.ts'
import { mustRegister, newDevice } from './passkeys.fixture.ts'
import { makeScimToken, ScimClient } from './scim.fixture.ts'

export interface Target {
  readonly isAdmin: boolean
  /** Has a password, a certificate, one-time codes and an open enrollment. */
  readonly identityId: string
  /** Has the same rights and policy, no credential, and is disabled. */
  readonly spareId: string
  readonly policyId: string
  readonly passkeyId: string
  readonly passwordId: string
  readonly certificateId: string
  readonly enrollmentId: string
  /** Saved by an administrator. */
  readonly signerId: string
  /** The same, and gives the identity an attribute by a group. */
  readonly supplierId: string
  /** Saved by an administrator, and verified. */
  readonly caId: string
}

export async function makeTarget(app: TestApp, isAdmin: boolean): Promise<Target> {
  const post = async (path: string, body: unknown): Promise<string> => {
    const reply = await app.admin('POST', path, body)
    assert.equal(reply.status, 201, reply.text)
    return reply.json.data.id
  }
  const policyId = await createPolicy(app)
  const rights = { isAdmin, authPolicyId: policyId }
  const { id: identityId, session } = await makeUser(app, rights)
  await startTotp(app, session)
  const passkeyId = await mustRegister(app, { session, device: newDevice() })
  const spareId = await createIdentity(app, rights)
  await app.admin('POST', `${IDENTITIES}/${spareId}/disable`, { durationMinutes: 0 })
  const { certPem } = await issueTo(app, identityId)
  const { authenticators } = (await app.admin('GET', `${IDENTITIES}/${identityId}`)).json.data
  return {
    isAdmin,
    identityId,
    spareId,
    policyId,
    passkeyId,
    passwordId: authenticators.updb.id,
    certificateId: await post(AUTHENTICATORS, { method: 'cert', identityId, certPem }),
    enrollmentId: await post(ENROLLMENTS, enrollmentBody(app, spareId)),
    signerId: await create(app),
    supplierId: await createSupplier(app, identityId),
    caId: (await makeCa(app)).id,
  }
}

async function createSupplier(app: TestApp, identityId: string): Promise<string> {
  const id = await create(app)
  const linked = await app.admin('PATCH', `${IDENTITIES}/${identityId}`, { linkedSigners: [id] })
  assert.equal(linked.status, 200, linked.text)
  await new ScimClient(app, id, (await makeScimToken(app, id)).token).addGroup('staff', [identityId])
  return id
}

type Rows = readonly Readonly<Record<string, unknown>>[]

export interface LoginState {
  /** What the identities have and what their policy demands. */
  readonly rows: readonly Rows[]
  /** The signers whose tokens, and the CAs whose certificates, the identities can log in with. */
  readonly signers: Rows
}

/** Everything that decides how the target logs in. */
export async function loadLoginState(app: TestApp, target: Target): Promise<LoginState> {
  const { db } = app.store
  const ids = [target.identityId, target.spareId]
  const signers = db.selectFrom('ext_jwt_signers').selectAll().where('enabled', '=', true)
  const rows = await Promise.all([
    db.selectFrom('identities').selectAll().where('id', 'in', ids).orderBy('id').execute(),
    db.selectFrom('auth_policies').selectAll().where('id', '=', target.policyId).execute(),
    db.selectFrom('auth_policy_signers').selectAll().where('auth_policy_id', '=', target.policyId).execute(),
    db.selectFrom('identity_attributes').selectAll().where('identity_id', 'in', ids).orderBy('attribute').execute(),
    db.selectFrom('authenticators').selectAll().where('identity_id', 'in', ids).orderBy('id').execute(),
    db.selectFrom('enrollments').selectAll().where('identity_id', 'in', ids).orderBy('id').execute(),
    db.selectFrom('totps').selectAll().where('identity_id', 'in', ids).orderBy('id').execute(),
    db.selectFrom('passkeys').selectAll().where('identity_id', 'in', ids).orderBy('id').execute(),
  ])
  const cas = db.selectFrom('cas').selectAll().where('is_verified', '=', true).where('is_auth_enabled', '=', true)
  const isTrusted = (row: { is_trusted: unknown }) => !target.isAdmin || Boolean(row.is_trusted)
  const accepted = [
    ...(await signers.orderBy('id').execute()).filter(isTrusted),
    ...(await cas.orderBy('id').execute()).filter(isTrusted),
  ]
  return { rows: rows.map(withoutTimes), signers: withoutTimes(accepted) }
}

function withoutTimes(rows: Rows): Rows {
  return rows.map(({ updated_at: _, ...row }) => row)
}

/** A call that changes how the target logs in, when an administrator makes it. */
export interface LoginChange {
  readonly call: string
  readonly what: string
  id?(target: Target): string
  body?(app: TestApp, target: Target): unknown
}

const ofIdentity = ({ identityId }: Target) => identityId
const ofSpare = ({ spareId }: Target) => spareId
const ofPolicy = ({ policyId }: Target) => policyId
const ofPassword = ({ passwordId }: Target) => passwordId
const ofEnrollment = ({ enrollmentId }: Target) => enrollmentId
const ofCa = ({ caId }: Target) => caId
const ofSigner = ({ signerId }: Target) => signerId

const caReplacement = (members: object) => ({ ...caBody(''), identityNameFormat: '', ...members })

let passwords = 0
const newPassword = () => `new-password-${++passwords}`

/** Every way to change how an identity logs in. */
export const LOGIN_CHANGES: readonly LoginChange[] = [
  ...[SIGNERS, OLD_SIGNERS].flatMap((signers): LoginChange[] => [
    { call: `POST ${signers}`, what: 'another signer', body: () => jwksBody() },
    { call: `PUT ${signers}/:id`, what: 'another provider', id: ofSigner, body: () => jwksBody() },
    {
      call: `PATCH ${signers}/:id`,
      what: 'other keys',
      id: ofSigner,
      body: () => ({ jwksEndpoint: 'https://own-provider.example/keys' }),
    },
    { call: `PATCH ${signers}/:id`, what: 'disabled', id: ofSigner, body: () => ({ enabled: false }) },
    { call: `DELETE ${signers}/:id`, what: 'deleted', id: ofSigner },
    { call: `DELETE ${signers}/:id`, what: 'deleted with attributes', id: ({ supplierId }) => supplierId },
  ]),
  { call: `PUT ${CAS}/:id`, what: 'no logins', id: ofCa, body: () => caReplacement({ isAuthEnabled: false }) },
  { call: `PUT ${CAS}/:id`, what: 'a claim', id: ofCa, body: () => caReplacement({ externalIdClaim: CLAIM }) },
  { call: `PATCH ${CAS}/:id`, what: 'a claim', id: ofCa, body: () => ({ externalIdClaim: CLAIM }) },
  { call: `PATCH ${CAS}/:id`, what: 'no logins', id: ofCa, body: () => ({ isAuthEnabled: false }) },
  { call: `DELETE ${CAS}/:id`, what: 'deleted', id: ofCa },
  {
    call: `PUT ${POLICIES}/:id`,
    what: 'no passwords',
    id: ofPolicy,
    body: () => policyBody({ updb: { allowed: false } }),
  },
  {
    call: `PUT ${POLICIES}/:id`,
    what: 'one-time codes',
    id: ofPolicy,
    body: () => policyBody({ secondary: { requireTotp: true } }),
  },
  ...[
    { primary: { cert: { allowExpiredCerts: true } } },
    { primary: { updb: { maxAttempts: 3 } } },
    { secondary: { requireTotp: true } },
    { primary: { extJwt: { requireAcr: ['own'] } } },
    { session: { idleMinutes: 1 } },
    { session: { endWithToken: true } },
    { certificate: { renewalNeedsToken: true } },
    { acceptRule: 'claims.level > 1' },
  ].map((body) => ({ call: `PATCH ${POLICIES}/:id`, what: JSON.stringify(body), id: ofPolicy, body: () => body })),
  {
    call: `PATCH ${POLICIES}/:id`,
    what: 'only one signer',
    id: ofPolicy,
    body: (_app, { signerId }) => ({ primary: { extJwt: { allowedSigners: [signerId] } } }),
  },
  {
    call: `PATCH ${POLICIES}/:id`,
    what: 'a second token',
    id: ofPolicy,
    body: (_app, { signerId }) => ({ secondary: { requireExtJwtSigner: signerId } }),
  },
  {
    call: `PUT ${IDENTITIES}/:id`,
    what: 'another policy',
    id: ofIdentity,
    body: (_app, { isAdmin }) => identityBody({ isAdmin, authPolicyId: 'default' }),
  },
  ...[
    { authPolicyId: 'default' },
    { externalId: 'own-subject' },
    { expiresAt: '2000-01-01T00:00:00Z' },
    { roleAttributes: ['own'] },
  ].map((body) => ({
    call: `PATCH ${IDENTITIES}/:id`,
    what: JSON.stringify(body),
    id: ofIdentity,
    body: () => body,
  })),
  { call: `DELETE ${IDENTITIES}/:id`, what: 'deleted', id: ofIdentity },
  { call: `POST ${IDENTITIES}/:id/disable`, what: 'disabled', id: ofIdentity, body: () => ({ durationMinutes: 0 }) },
  { call: `POST ${IDENTITIES}/:id/enable`, what: 'enabled', id: ofSpare },
  { call: `DELETE ${IDENTITIES}/:id/mfa`, what: 'no one-time codes', id: ofIdentity },
  { call: `DELETE ${IDENTITIES}/:id/passkeys/:passkeyId`, what: 'no passkey', id: ofIdentity },
  { call: `POST ${IDENTITIES}/:id/request-extend`, what: 'renewal', id: ofIdentity, body: () => ({ rollKeys: true }) },
  {
    call: `POST ${AUTHENTICATORS}`,
    what: 'a password',
    body: (_app, { spareId }) => {
      return { method: 'updb', identityId: spareId, username: `own-name-${spareId}`, password: newPassword() }
    },
  },
  {
    call: `PUT ${AUTHENTICATORS}/:id`,
    what: 'another password',
    id: ofPassword,
    body: (_app, { identityId }) => ({ username: `own-name-${identityId}`, password: newPassword() }),
  },
  {
    call: `PATCH ${AUTHENTICATORS}/:id`,
    what: 'another password',
    id: ofPassword,
    body: () => ({ password: newPassword() }),
  },
  { call: `DELETE ${AUTHENTICATORS}/:id`, what: 'deleted', id: ofPassword },
  {
    call: `POST ${AUTHENTICATORS}/:id/re-enroll`,
    what: 'a one-time token',
    id: ofPassword,
    body: (app) => ({ expiresAt: inAnHour(app) }),
  },
  {
    call: `POST ${AUTHENTICATORS}/:id/request-extend`,
    what: 'renewal',
    id: ({ certificateId }) => certificateId,
    body: () => ({ rollKeys: true }),
  },
  {
    call: `POST ${ENROLLMENTS}`,
    what: 'a one-time token',
    body: (app, { identityId }) => enrollmentBody(app, identityId),
  },
  {
    call: `POST ${ENROLLMENTS}/:id/refresh`,
    what: 'another token',
    id: ofEnrollment,
    body: (app) => ({ expiresAt: inAnHour(app) }),
  },
  { call: `DELETE ${ENROLLMENTS}/:id`, what: 'deleted', id: ofEnrollment },
]

const EVENTS_ONLY = 'for administrators only; changes where events go'

/** Calls by which no permission changes a login, with the reason. */
export const OTHER_CALLS: Readonly<Record<string, string>> = {
  [`POST ${SIGNERS}/explain`]: 'changes nothing',
  [`POST ${OLD_SIGNERS}/explain`]: 'changes nothing',
  [`POST ${SIGNERS}/discover`]: 'changes nothing',
  [`POST ${OLD_SIGNERS}/discover`]: 'changes nothing',
  [`POST ${SIGNERS}/read-certificate`]: 'changes nothing',
  [`POST ${OLD_SIGNERS}/read-certificate`]: 'changes nothing',
  [`POST ${SIGNERS}/:id/refresh-keys`]: 'fetches from the endpoint that the signer has',
  [`POST ${OLD_SIGNERS}/:id/refresh-keys`]: 'fetches from the endpoint that the signer has',
  ...Object.fromEntries(
    [SIGNERS, OLD_SIGNERS].flatMap((signers) => [
      [`PUT ${signers}/:id/pushed-keys`, 'takes the trust, unless an administrator has pinned the keys'],
      [`POST ${signers}/:id/confirm-keys`, 'takes the trust, unless an administrator has pinned the keys'],
    ]),
  ),
  [`POST ${SIGNERS}/:id/trust`]: 'for administrators only',
  [`POST ${OLD_SIGNERS}/:id/trust`]: 'for administrators only',
  [`POST ${SIGNERS}/:id/scim-tokens`]: 'for administrators only',
  [`DELETE ${SIGNERS}/:id/scim-tokens/:tokenId`]: 'for administrators only',
  [`POST ${OLD_SIGNERS}/:id/scim-tokens`]: 'for administrators only',
  [`DELETE ${OLD_SIGNERS}/:id/scim-tokens/:tokenId`]: 'for administrators only',
  [`POST ${CAS}`]: 'logs in no identity until it is verified',
  [`POST ${CAS}/:id/verify`]: 'needs the private key of the CA, and does not make it trusted',
  [`POST ${CAS}/:id/trust`]: 'for administrators only',
  [`POST ${POLICIES}`]: 'no identity has the new policy',
  [`DELETE ${POLICIES}/:id`]: 'a policy in use cannot be deleted',
  [`POST ${IDENTITIES}`]: 'only administrators give the new identity rights',
  'DELETE /edge/management/v1/api-sessions/:id': 'ends a session',
  'POST /edge/management/v1/revocations': 'ends sessions',
  'POST /edge/management/v1/what-if': 'changes nothing',
  [`DELETE ${IDENTITIES}/:id/api-sessions`]: 'ends sessions',
  [`POST ${SINKS}`]: EVENTS_ONLY,
  [`PUT ${SINKS}/:id`]: EVENTS_ONLY,
  [`PATCH ${SINKS}/:id`]: EVENTS_ONLY,
  [`DELETE ${SINKS}/:id`]: EVENTS_ONLY,
  [`POST ${SINKS}/:id/test`]: EVENTS_ONLY,
  [`POST ${SINKS}/:id/replay`]: EVENTS_ONLY,
}
