import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { makeTestAuthority, makeTestCertificate } from '@countersign/testkit'
import { buildApp, type Reply } from './build-app.ts'
import { CAS, CLAIM, caOf, issueLeaf, makeCa, verify } from './cas.fixture.ts'
import { type ClientKeys, LOG_IN, overTls } from './client-certificates.fixture.ts'
import { ENROLL, ENROLLMENTS } from './enrollments.fixture.ts'
import { createIdentity, identityOf } from './identities.fixture.ts'

type Body = Readonly<Record<string, unknown>>

interface Sample {
  readonly title: string
  readonly request: { readonly method: string; readonly path: string; readonly body: Body | string | null }
  readonly response: { readonly status: number; readonly contentType: string; readonly body: unknown }
}

/** Calls of an existing controller and its responses, recorded over the wire. Long texts are cut. */
const SAMPLES: readonly Sample[] = JSON.parse(readFileSync(new URL('ca-samples.json', import.meta.url), 'utf8'))

/** Where this controller deliberately responds otherwise. */
const DIFFERENT: Readonly<Record<string, { readonly status: number; readonly code: string }>> = {
  'create with a certificate that is no CA (BETTER: 400)': { status: 400, code: 'COULD_NOT_VALIDATE' },
}

/** Members that the recorded controller does not have. W-71 adds the controllers. */
const ADDED = ['trust', 'controllers', 'conflictsWith']

/** Fails unless the response has the members of the sample, with values of the same types, and the same texts of errors. */
function assertShape(actual: unknown, sample: unknown, path: string): void {
  if (sample === '…' || sample === null) return
  assert.equal(typeof actual, typeof sample, `${path} is ${JSON.stringify(actual)}`)
  if (Array.isArray(sample)) {
    assert.ok(Array.isArray(actual), path)
    if (sample.length > 0) assertShape(actual[0], sample[0], `${path}[0]`)
  } else if (typeof sample === 'object') {
    const added = Object.keys(actual as object).filter((name) => !(name in (sample as object)) && !ADDED.includes(name))
    assert.deepEqual(added, [], `${path} has more members`)
    for (const [name, value] of Object.entries(sample ?? {})) {
      if (name === 'message') assert.equal((actual as { message: string }).message, value, path)
      assertShape((actual as Record<string, unknown>)[name], value, `${path}.${name}`)
    }
  }
}

test('W-82 W-85 W-86 W-89 W-92 the recorded calls of an existing controller get responses of the same shape', async (t) => {
  const app = await buildApp(t)
  const call = await overTls(app)
  const ca = await makeCa(app, { isVerified: false, tags: { owner: 'it' } })
  const { name } = await caOf(app, ca.id)
  /** Sends the recorded body with a certificate of this test. */
  const create = (body: Body, certPem = makeTestAuthority().pem) => app.admin('POST', CAS, { ...body, certPem })
  const signed = (commonName: string) => makeTestCertificate({ issuer: ca.authority, commonName }).pem
  const device = issueLeaf(ca.authority)
  const prepared = issueLeaf(ca.authority)
  const named = await makeCa(app, { externalIdClaim: CLAIM })
  await createIdentity(app, { externalId: 'person' })
  const orderedBy = await createIdentity(app, { enrollment: { ottca: ca.id } })
  const { ottca } = (await identityOf(app, orderedBy)).enrollment
  const enroll = (query: string, body: Body, keys = {}) => call('POST', `${ENROLL}?${query}`, { ...keys, body })
  const logIn = (body: Body, keys: ClientKeys) => call('POST', LOG_IN, { ...keysOf(keys), body })
  const keysOf = ({ cert, key }: ClientKeys) => ({ cert, key })

  const replay: Readonly<Record<string, (body: Body) => Promise<Reply>>> = {
    create: (body) => create(body),
    'detail of an unverified CA': () => app.admin('GET', `${CAS}/${ca.id}`),
    'list by name (filterableFields sorted here; the order varies)': () =>
      app.admin('GET', `${CAS}?limit=1&filter=${encodeURIComponent(`name = "${name}"`)}`),
    'create without a member': (body) => create(body),
    'create with a certificate that is there already': (body) => create(body, ca.authority.pem),
    'create with a certificate that is no CA (BETTER: 400)': (body) => create(body, makeTestCertificate().pem),
    'create with a claim that cannot work': (body) => create(body),
    'verify with a certificate of a wrong name': () => verify(app, ca, { pem: signed('wrong') }),
    'verify with a certificate of another CA': async () => {
      const { verificationToken: commonName } = await caOf(app, ca.id)
      return verify(app, ca, { pem: makeTestCertificate({ commonName }).pem })
    },
    verify: () => verify(app, ca),
    'verify again': () => verify(app, ca),
    'enrollment JWT of the CA': () =>
      app.admin('GET', `${CAS}/${ca.id}/jwt`, undefined, { headers: { accept: 'application/jwt' } }),
    'auto-enrollment, method ca': (body) => enroll('method=ca', body, keysOf(device)),
    'auto-enrollment a second time': (body) => enroll('method=ca', body, keysOf(device)),
    'auto-enrollment without a certificate': (body) => enroll('method=ca', body),
    'pending ottca enrollment': () => app.admin('GET', `${ENROLLMENTS}/${ottca.id}`),
    ottca: (body) => enroll(`method=ottca&token=${ottca.token}`, body, keysOf(prepared)),
    'login with the certificate': (body) => logIn(body, device),
    'login by external id: a certificate that was not enrolled, CA with externalIdClaim COMMON_NAME': (body) =>
      logIn(body, issueLeaf(named.authority, { commonName: 'person' })),
    'login after isAuthEnabled was switched off': async (body) => {
      await app.admin('PATCH', `${CAS}/${ca.id}`, { isAuthEnabled: false })
      return logIn(body, device)
    },
  }

  assert.deepEqual(
    SAMPLES.map(({ title }) => title),
    Object.keys(replay),
  )
  for (const { title, request, response } of SAMPLES) {
    const { body } = request
    const reply = (await replay[title]?.(typeof body === 'object' && body ? body : {})) ?? assert.fail(title)
    const expected = DIFFERENT[title] ?? { status: response.status, code: codeOf(response.body) }
    assert.deepEqual({ status: reply.status, code: codeOf(reply.json) }, expected, `${title}: ${reply.text}`)
    assert.equal(reply.headers['content-type'], response.contentType, title)
    if (!(title in DIFFERENT)) assertShape(reply.json ?? reply.text, response.body, title)
  }
})

function codeOf(body: unknown): string | undefined {
  return (body as { error?: { code?: string } } | undefined)?.error?.code
}
