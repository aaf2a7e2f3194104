import assert from 'node:assert/strict'
import { test } from 'node:test'
import { totpCode, totpStep } from '@countersign/core'
import { type AuthPolicyInput, readEnrollmentTicket } from '@countersign/sdk'
import { readProvisioningSecret } from '@countersign/testkit'
import { createSdkStage } from './sdk-stage.ts'

const APIS = ['client', 'management'] as const

const policy = (name: string, secondary: AuthPolicyInput['secondary']): AuthPolicyInput => ({
  name,
  primary: {
    cert: { allowed: true, allowExpiredCerts: false },
    extJwt: { allowed: true, allowedSigners: [] },
    updb: {
      allowed: true,
      minPasswordLength: 8,
      requireSpecialChar: false,
      requireNumberChar: false,
      requireMixedCase: false,
      maxAttempts: 0,
      lockoutDurationMinutes: 0,
    },
  },
  secondary,
})

test('W-75 the SDK logs in with every method, against a real controller', async (t) => {
  const stage = await createSdkStage(t)
  const administrator = await stage.administrator()
  const signer = await administrator.signers.findByName('local-provider')
  assert.ok(signer)

  for (const api of APIS) {
    await t.test(`W-75 by password on the ${api} API`, async () => {
      const client = stage.client()
      const { username, password } = stage.admin
      await assert.rejects(client.logInWithPassword(username, 'not it', { api }), { code: 'INVALID_AUTH', status: 401 })
      const session = await client.logInWithPassword(username, password ?? '', { api })
      assert.equal(session.token, client.session)
      assert.equal((await client.currentIdentity()).isAdmin, true)
      await client.logOut()
      await assert.rejects(client.currentIdentity(), { status: 401 })
    })

    await t.test(`W-75 by JWT on the ${api} API`, async () => {
      const client = stage.client()
      await assert.rejects(client.logInWithJwt('e.y.j', { api }), { code: 'UNAUTHORIZED', status: 401 })
      await client.logInWithJwt(() => stage.tokenOf('alice'), { api })
      assert.equal((await client.currentSession()).authenticatorId, `extJwtId:${signer.id}`)
      assert.equal((await client.currentIdentity()).externalId?.startsWith('alice'), true)
    })
  }

  const dave = await stage.tokenOf('dave')
  const enrolled = await stage.client().enrollment.toCertificate(dave, { signerId: signer.id })
  assert.ok(enrolled.identityId && enrolled.controllers.length > 0 && enrolled.ca.includes('BEGIN CERTIFICATE'))
  await assert.rejects(stage.client().enrollment.toCertificate(dave), { code: 'ENROLLMENT_IDENTITY_ALREADY_ENROLLED' })

  for (const api of APIS) {
    await t.test(`W-75 by certificate on the ${api} API`, async () => {
      await assert.rejects(stage.client().logInWithCertificate({ api }), { code: 'INVALID_AUTH', status: 401 })
      const client = await stage.certified(enrolled)
      const session = await client.logInWithCertificate({ api })
      assert.equal(session.identityId, enrolled.identityId)
      assert.equal((await client.currentIdentity()).id, enrolled.identityId)
    })
  }

  await t.test('W-75 by certificate and a second token, which is sent on every call and requested once', async () => {
    const authPolicyId = await administrator.authPolicies.create(
      policy('second', { requireTotp: false, requireExtJwtSigner: signer.id }),
    )
    await administrator.identities.patch(enrolled.identityId ?? '', { authPolicyId })
    const bare = await stage.certified(enrolled)
    const incomplete = await bare.logInWithCertificate()
    assert.deepEqual(
      incomplete.authQueries.map(({ typeId, id }) => [typeId, id]),
      [['EXT-JWT', signer.id]],
    )
    await assert.rejects(bare.currentIdentity(), { code: 'UNAUTHORIZED', status: 401 })

    let supplied = 0
    const secondaryToken = () => {
      supplied++
      return stage.tokenOf('dave')
    }
    const client = await stage.certified(enrolled, { secondaryToken })
    assert.deepEqual((await client.logInWithCertificate()).authQueries, [])
    for (let call = 0; call < 3; call++) assert.equal((await client.currentIdentity()).id, enrolled.identityId)
    assert.equal(supplied, 1)

    const wrongUser = await stage.certified(enrolled, { secondaryToken: await stage.tokenOf('alice') })
    assert.equal((await wrongUser.logInWithCertificate()).authQueries.length, 1)
    await assert.rejects(wrongUser.currentIdentity(), { code: 'UNAUTHORIZED', status: 401 })
  })

  await t.test('W-75 by certificate and a one-time code', async () => {
    await administrator.identities.patch(enrolled.identityId ?? '', { authPolicyId: 'default' })
    const client = await stage.certified(enrolled)
    await client.logInWithCertificate()
    const { provisioningUrl = '', recoveryCodes } = await client.oneTimeCodes.setUp()
    const code = totpCode(readProvisioningSecret(provisioningUrl), totpStep(Date.now()))
    await client.oneTimeCodes.verify(code)

    const again = await stage.certified(enrolled)
    const session = await again.logInWithCertificate()
    assert.deepEqual([session.isMfaRequired, session.authQueries.map(({ typeId }) => typeId)], [true, ['MFA']])
    await assert.rejects(again.currentIdentity(), { status: 401 })
    await assert.rejects(again.completeWithCode('000000x'), { code: 'MFA_INVALID_TOKEN' })
    await again.completeWithCode(recoveryCodes?.[0] ?? '')
    assert.equal((await again.currentIdentity()).isMfaEnabled, true)

    await administrator.identities.resetMfa(enrolled.identityId ?? '')
    const free = await stage.certified(enrolled)
    assert.deepEqual((await free.logInWithCertificate()).authQueries, [])
  })

  await t.test('a one-time token of an administrator enrolls a certificate or a password', async () => {
    const id = await administrator.identities.create({
      name: 'laptop',
      type: 'Device',
      isAdmin: false,
      enrollment: { ott: true },
    })
    const [waiting] = await administrator.identities.enrollments(id)
    const ticket = readEnrollmentTicket(waiting?.jwt ?? '')
    assert.deepEqual([ticket.issuer, ticket.method, ticket.identityId], [stage.baseUrl, 'ott', id])
    const enrolledLaptop = await stage.client().enrollment.withOneTimeToken(waiting?.jwt ?? '')
    const client = await stage.certified(enrolledLaptop)
    await client.logInWithCertificate()
    assert.equal((await client.currentIdentity()).id, id)
    await assert.rejects(stage.client().enrollment.withOneTimeToken(ticket.token), { code: 'INVALID_ENROLLMENT_TOKEN' })

    const person = await administrator.identities.create({
      name: 'erika',
      type: 'User',
      isAdmin: false,
      enrollment: { updb: 'erika' },
    })
    const [invited] = await administrator.identities.enrollments(person)
    assert.equal(await stage.client().enrollment.withPassword(invited?.jwt ?? '', 'a good password'), 'erika')
    await stage.client().logInWithPassword('erika', 'a good password')
    await administrator.identities.disable(person)
    await assert.rejects(stage.client().logInWithPassword('erika', 'a good password'), { code: 'INVALID_AUTH' })
    await administrator.identities.enable(person)
    await stage.client().logInWithPassword('erika', 'a good password')
  })

  await t.test('events arrive as they happen, and a resumed stream misses none', async () => {
    const stop = new AbortController()
    const events = administrator.events({ namespaces: ['authentication'], signal: stop.signal })
    const first = events.next()
    const until = Date.now() + 20_000
    const timer = setInterval(() => {
      if (Date.now() > until) stop.abort()
      else
        stage
          .client()
          .logInWithPassword('admin', 'not it')
          .catch(() => {})
    }, 300)
    const { value } = await first
    clearInterval(timer)
    assert.deepEqual(
      [value?.kind, value?.event.namespace, value?.event.event_type],
      ['event', 'authentication', 'fail'],
    )
    await events.return(undefined)
    await stage.client().logInWithJwt(await stage.tokenOf('bob'))
    const resumed = administrator.events({
      namespaces: ['authentication'],
      lastEventId: value?.id,
      signal: stop.signal,
    })
    for await (const { event } of resumed) if (event.event_type === 'success') break
    stop.abort()
  })
})
