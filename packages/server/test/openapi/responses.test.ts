import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { SPECS, type SpecId } from '../../src/http/openapi/build-document.ts'
import { createPolicy } from '../http/auth-policies.fixture.ts'
import { buildApp } from '../http/build-app.ts'
import { makeCa } from '../http/cas.fixture.ts'
import { certBody, create, jwksBody } from '../http/ext-jwt-signers.fixture.ts'
import { createIdentity, createPassword } from '../http/identities.fixture.ts'
import { mustRegister, newDevice } from '../http/passkeys.fixture.ts'
import { createChecker } from './check-responses.fixture.ts'

/** A controller with one entity of each kind, and the ids for paths, by the first segment of the path. */
async function setUp(t: TestContext) {
  const app = await buildApp(t)
  const requiredClaims = { '/org': ['a', 'b'] }
  const signer = await create(app, jwksBody({ requiredClaims, scopes: ['openid'], tags: { a: 1, b: null } }))
  await create(app, certBody())
  const authPolicyId = await createPolicy(app, { secondary: { requireTotp: false, requireExtJwtSigner: signer } })
  const identity = await createIdentity(app, {
    authPolicyId,
    attributes: ['a'],
    externalId: 'x',
    permissions: ['identity'],
    appData: { any: { thing: true } },
  })
  await app.admin('POST', `/edge/management/v1/identities/${identity}/disable`, { durationMinutes: 5 })
  const authenticator = (await createPassword(app, await createIdentity(app))).id
  const own = (await app.admin('GET', '/edge/client/v1/current-identity/authenticators')).json.data[0].id
  const session = (await app.admin('GET', '/edge/client/v1/current-api-session')).json.data.id
  await app.admin('POST', '/edge/client/v1/current-identity/mfa')
  const passkey = await mustRegister(app, { session: app.adminSession, device: newDevice() })
  const enrollment = await app.admin('POST', '/edge/management/v1/enrollments', {
    method: 'ott',
    identityId: identity,
    expiresAt: new Date(app.clock.now() + 60_000).toISOString(),
  })
  const revocation = { id: randomUUID(), type: 'JTI', tags: { why: 'lost' } }
  assert.equal((await app.admin('POST', '/edge/management/v1/revocations', revocation)).status, 201)
  const refused = await app.call('POST', '/edge/client/v1/authenticate?method=password', {
    username: 'admin',
    password: 'not-the-password',
  })
  const ids: Readonly<Record<string, string>> = {
    'ext-jwt-signers': signer,
    'external-jwt-signers': signer,
    'auth-policies': authPolicyId,
    identities: identity,
    authenticators: authenticator,
    'current-identity': own,
    'current-identity/passkeys': passkey,
    'api-sessions': session,
    enrollments: enrollment.json.data.id,
    cas: (await makeCa(app)).id,
    revocations: revocation.id,
    'auth-decisions': refused.json.error.requestId,
    'identity-types': 'Default',
    specs: 'edge-client',
  }
  return { app, ids, refused }
}

/** Responses that this test cannot produce, with the reason. */
const OMITTED: Readonly<Record<string, string>> = {
  '/events': 'endless',
  '/current-api-session/certificates/{id}': 'needs a certificate authority',
  '/current-identity/mfa/recovery-codes': 'needs a one-time code',
}

for (const id of Object.keys(SPECS) as SpecId[]) {
  test(`the responses of ${id} match its description`, async (t) => {
    const { app, ids, refused } = await setUp(t)
    const { schemas, check } = await createChecker(t, app, id, 'Error')
    let checked = 0
    for (const { path, method, route } of schemas.filter((one) => one.method === 'get')) {
      if (OMITTED[path]) continue
      const [, first = '', second = ''] = path.split('/')
      const known = ids[`${first}/${second}`] ?? ids[first] ?? 'no-such-id'
      const address = SPECS[id].base + path.replaceAll(/\{\w+\}/g, known)
      const reply = await app.admin('GET', address, undefined, { headers: { accept: 'application/json' } })
      const isAbsent = known === 'no-such-id' && path.includes('{')
      assert.equal(reply.status, isAbsent ? 404 : 200, `${method} ${path}: ${reply.text.slice(0, 200)}`)
      if (isAbsent) continue
      assert.equal(await check(route, reply.json), undefined, `${method} ${path}: ${reply.text.slice(0, 500)}`)
      checked++
    }
    assert.ok(checked > 10, 'many responses were checked')
    assert.equal(await check('/error/Error', refused.json), undefined)
    assert.notEqual(
      await check('/error/Error', { error: { code: 'NO_SUCH_CODE' }, meta: {} }),
      undefined,
      'the check can fail',
    )
  })
}
