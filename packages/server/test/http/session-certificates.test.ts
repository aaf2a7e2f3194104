import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { describe, it } from 'node:test'
import { makeTestCertificate, makeTestCsr } from '@countersign/testkit'
import { createSessionCertificate } from '../../src/operations/api-session/session-certificates.ts'
import { ADMIN_PASSWORD, buildApp, type TestApp } from './build-app.ts'
import { issueTo, makeHolder } from './client-certificates.fixture.ts'
import { summarize } from './ext-jwt-signers.fixture.ts'
import { AUTHENTICATORS } from './identities.fixture.ts'
import { makePerson } from './passkeys.fixture.ts'

const SESSION = '/edge/client/v1/current-api-session'
const CERTIFICATES = `${SESSION}/certificates`
const HOUR_MS = 3_600_000
const TOO_MANY = '429 SERVER_TOO_MANY_REQUESTS'

describe('session certificates', () => {
  it('R-21 J-24 are issued to an identity a limited number of times, and to others as before', async (t) => {
    const app = await buildApp(t, { isAlone: 'controller' })
    const [one, other] = [await makePerson(app), await app.makeIdentity()]
    const csr = makeTestCsr().pem
    const issue = (session: string) => app.call('POST', CERTIFICATES, { csr }, { session })
    const sessions = [one.session]
    while (sessions.length < 11) sessions.push(await one.logIn())
    const [burst, extra] = [1_000, 20]
    const replies: Awaited<ReturnType<typeof issue>>[] = []
    // All at once, the last ones would take longer than a request may.
    while (replies.length < burst + extra) {
      const next = Array.from({ length: 102 }, (_, at) => sessions[(replies.length + at) % sessions.length] ?? '')
      replies.push(...(await Promise.all(next.map(issue))))
    }
    const issued = replies.filter(({ status }) => status === 201).length
    assert.ok(issued >= burst && issued < burst + extra, String(issued))
    const limited = replies.filter((reply) => summarize(reply) === TOO_MANY)
    assert.equal(limited.length, burst + extra - issued)
    assert.equal((await issue(other.session)).status, 201)
    app.clock.advance(60_000)
    assert.equal((await issue(one.session)).status, 201)
  })

  it('R-21 are issued to a session a tenth of these times, so that a thief of one does not use up those of the others', async (t) => {
    const app = await buildApp(t, { isAlone: 'controller' })
    const { session, logIn } = await makePerson(app)
    const csr = makeTestCsr().pem
    const issue = async (as: string) => summarize(await app.call('POST', CERTIFICATES, { csr }, { session: as }))
    const stolen = await logIn()
    const replies = await Promise.all(Array.from({ length: 1_000 }, () => issue(stolen)))
    assert.equal(await issue(session), '201')
    assert.ok(replies.filter((reply) => reply === '201').length >= 100)
    assert.equal(replies.at(-1), TOO_MANY)
  })

  it('D34 issues a certificate of twelve hours for the session, lists and deletes it', async (t) => {
    const app = await buildApp(t)
    const { id: identityId, session } = await app.makeIdentity()
    const api = callsOf(app, session)
    const own = (await api('GET', SESSION)).json.data
    const csr = makeTestCsr({ subject: { commonName: 'admin' } })
    const made = await api('POST', CERTIFICATES, { csr: csr.pem })
    assert.equal(made.status, 201, made.text)
    const { id, _links, certificate, cas, ...others } = made.json.data
    assert.deepEqual([_links, others], [{ self: { href: `./current-api-session/certificates/${id}` } }, {}])

    const leaf = new X509Certificate(certificate)
    assert.equal(leaf.subject, `CN=${identityId}`)
    assert.equal(
      leaf.subjectAltName,
      `URI:spiffe://countersign-test/identity/${identityId}/apiSession/${own.id}/apiSessionCertificate/${id}`,
    )
    assert.ok(leaf.publicKey.equals(csr.publicKey))
    assert.ok(Math.abs(leaf.validToDate.getTime() - app.clock.now() - 12 * HOUR_MS) < 60_000)
    assert.ok(String(cas).match(/BEGIN CERTIFICATE/g)?.length === 2)

    const { json } = await api('GET', CERTIFICATES)
    assert.deepEqual(json.meta, {
      filterableFields: [
        ...['id', 'createdAt', 'updatedAt', 'tags', 'isSystem'],
        ...['apiSession', 'fingerprint', 'subject'],
      ],
      pagination: { limit: 10, offset: 0, totalCount: 1 },
    })
    const { createdAt, updatedAt, ...shown } = json.data[0]
    assert.equal(createdAt, updatedAt)
    assert.deepEqual(shown, {
      _links,
      id,
      tags: {},
      subject: `CN=${identityId}`,
      fingerprint: leaf.fingerprint.replaceAll(':', '').toLowerCase(),
      validFrom: leaf.validFromDate.toISOString(),
      validTo: leaf.validToDate.toISOString(),
      certificate,
    })
    assert.deepEqual((await api('GET', `${CERTIFICATES}/${id}`)).json.data, json.data[0])

    assert.equal((await api('DELETE', `${CERTIFICATES}/${id}`)).status, 200)
    for (const method of ['GET', 'DELETE']) {
      assert.equal(summarize(await api(method, `${CERTIFICATES}/${id}`)), '404 NOT_FOUND')
    }
    assert.deepEqual((await api('GET', CERTIFICATES)).json.data, [])
  })

  it('N-10 shows and deletes the certificates of this session only, even between sessions of one identity', async (t) => {
    const app = await buildApp(t)
    const mine = callsOf(app, app.adminSession)
    const others = callsOf(app, (await app.makeIdentity()).session)
    const mineElsewhere = callsOf(app, await app.logIn('admin', ADMIN_PASSWORD))
    const { id } = (await mine('POST', CERTIFICATES, { csr: makeTestCsr().pem })).json.data
    const own = (await mine('GET', SESSION)).json.data
    const filter = encodeURIComponent(`apiSession = "${own.id}" or true`)
    for (const other of [others, mineElsewhere]) {
      assert.deepEqual((await other('GET', CERTIFICATES)).json.data, [])
      assert.deepEqual((await other('GET', `${CERTIFICATES}?filter=${filter}`)).json.data, [])
      assert.deepEqual((await other('GET', `${CERTIFICATES}?limit=-1&filter=${filter}`)).json.data, [])
      assert.equal(summarize(await other('GET', `${CERTIFICATES}/${id}`)), '404 NOT_FOUND')
      assert.equal(summarize(await other('DELETE', `${CERTIFICATES}/${id}`)), '404 NOT_FOUND')
    }
    assert.equal((await mine('GET', `${CERTIFICATES}?filter=${filter}`)).json.data[0].id, id)
    assert.equal((await mine('GET', `${CERTIFICATES}/${id}`)).status, 200)
  })

  it('deletes certificates with their session, and keeps the ten newest of each session', async (t) => {
    const app = await buildApp(t)
    const first = callsOf(app, (await app.makeIdentity()).session)
    const second = callsOf(app, (await app.makeIdentity()).session)
    const ids: string[] = []
    for (let round = 0; round < 12; round++) {
      ids.push((await first('POST', CERTIFICATES, { csr: makeTestCsr().pem })).json.data.id)
      app.clock.advance(10)
    }
    await second('POST', CERTIFICATES, { csr: makeTestCsr().pem })
    const { data } = (await first('GET', `${CERTIFICATES}?limit=100`)).json
    const byId = (list: readonly string[]) => list.toSorted()
    assert.deepEqual(byId(data.map(({ id }: { id: string }) => id)), byId(ids.slice(2)))
    await first('DELETE', SESSION)
    const left = await app.store.db.selectFrom('api_session_certificates').select('id').execute()
    assert.equal(left.length, 1)
    assert.equal((await second('GET', CERTIFICATES)).json.data.length, 1)
  })

  it('records nothing for a session that ended while the certificate was issued', async (t) => {
    const app = await buildApp(t)
    const record = {
      id: 'certificate1',
      apiSessionId: 'no-such-session',
      subject: 'CN=x',
      fingerprint: 'f1',
      publicKeyDigest: 'd1',
      certPem: 'pem',
      notBefore: 1,
      notAfter: 2,
    }
    const meta = { actorId: 'system', now: app.clock.now() }
    await assert.rejects(app.store.run(createSessionCertificate, record, meta), { code: 'UNAUTHORIZED' })
    assert.deepEqual(await app.store.db.selectFrom('api_session_certificates').selectAll().execute(), [])
  })
})

describe('refused session certificates', () => {
  it('D51 a key with which another identity logs in is refused, the own key is not', async (t) => {
    const app = await buildApp(t)
    const api = callsOf(app, (await app.makeIdentity()).session)
    const { keyPair } = await makeHolder(app)
    const foreign = makeTestCsr({ keyPair })
    assert.equal(summarize(await api('POST', CERTIFICATES, { csr: foreign.pem })), '409 CERT_IN_USE')

    const { id, session } = await app.makeIdentity()
    const { certPem, keyPair: ownKey } = await issueTo(app, id)
    const recorded = await app.admin('POST', AUTHENTICATORS, { method: 'cert', identityId: id, certPem })
    assert.equal(recorded.status, 201, recorded.text)
    const own = await callsOf(app, session)('POST', CERTIFICATES, { csr: makeTestCsr({ keyPair: ownKey }).pem })
    assert.equal(own.status, 201, own.text)
  })

  it('D36 an invalid request is refused with the reason and without the request', async (t) => {
    const app = await buildApp(t)
    const api = callsOf(app, (await app.makeIdentity()).session)
    const { pem } = makeTestCsr()
    const body = pem.slice(60, 100)
    const refused: [unknown, string][] = [
      [{ csr: '' }, '400 COULD_NOT_PROCESS_CSR'],
      [{ csr: pem + pem }, '400 COULD_NOT_PROCESS_CSR'],
      [{ csr: makeTestCsr({ kind: 'rsa1024' }).pem }, '400 COULD_NOT_PROCESS_CSR'],
      [{ csr: pem + ' '.repeat(16_384) }, '413 REQUEST_ENTITY_TOO_LARGE'],
      [{ csr: [pem] }, '400 COULD_NOT_PARSE_BODY'],
      [{ csr: null }, '400 COULD_NOT_VALIDATE csr'],
      [{}, '400 COULD_NOT_VALIDATE csr'],
    ]
    for (const [request, expected] of refused) {
      const reply = await api('POST', CERTIFICATES, request)
      assert.equal(summarize(reply), expected, JSON.stringify(request))
      assert.ok(!reply.text.includes(body))
    }
    assert.equal((await api('POST', CERTIFICATES, { csr: pem })).status, 201)
    assert.ok(!app.logged.join('').includes(body))
  })

  it('J-08 refuses the key of a signer, and exists in the client API only', async (t) => {
    const app = await buildApp(t)
    const api = callsOf(app, (await app.makeIdentity()).session)
    const signer = makeTestCertificate()
    const reply = await app.admin('POST', '/edge/management/v1/ext-jwt-signers', {
      name: 's',
      enabled: true,
      issuer: 'https://s.example',
      audience: 'a',
      certPem: signer.pem,
    })
    assert.equal(reply.status, 201, reply.text)
    assert.equal(
      summarize(await api('POST', CERTIFICATES, { csr: makeTestCsr({ keyPair: signer }).pem })),
      '400 COULD_NOT_PROCESS_CSR',
    )
    const { pem } = makeTestCsr()
    assert.equal((await api('POST', CERTIFICATES, { csr: pem })).status, 201)
    assert.equal(
      summarize(await api('POST', CERTIFICATES.replace('client', 'management'), { csr: pem })),
      '404 NOT_FOUND',
    )
  })
})

function callsOf(app: TestApp, session: string) {
  return (method: string, path: string, body?: unknown) => app.call(method, path, body, { session })
}
