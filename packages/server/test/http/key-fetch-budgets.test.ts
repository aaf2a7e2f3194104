/** Signers and provider records at the key endpoint of another signer, which use up fetches that fail. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { readKeySet } from '@countersign/core'
import { type MintKey, mintKey, mintKeySet, mintToken } from '@countersign/testkit'
import { UNKNOWN_KID_BURST } from '../../src/keyset/unknown-kid-budget.ts'
import { OutboundError } from '../../src/outbound/outbound-error.ts'
import { buildApp } from './build-app.ts'
import { logInWithToken, SIGNERS } from './provider.fixture.ts'

const ENDPOINT = 'https://idp.example/keys'
const OLD = mintKey('P-256', 'old')
const NEW = mintKey('P-256', 'new')
const NAMES = Array.from({ length: UNKNOWN_KID_BURST }, (_, nth) => `other${nth}`)
const issuerOf = (name: string): string => `https://${name}.example`

/** A trusted signer whose provider has a new key. From `failOthers` on, fetches in the name of others fail. */
async function setUp(t: TestContext) {
  let published = [OLD]
  let soleOwner: string | undefined
  const app = await buildApp(t, {
    fetchJwks: async ({ owner, why }) => {
      const fails = why === 'unknown-kid' && soleOwner !== undefined && owner !== soleOwner
      if (fails) throw new OutboundError('timeout', 'no response')
      return { keySet: readKeySet(Buffer.from(JSON.stringify(mintKeySet(...published)))), freshForMs: undefined }
    },
  })
  const createSigner = async (name: string, session = app.adminSession): Promise<string> => {
    const body = { name, enabled: true, issuer: issuerOf(name), audience: 'edge', useExternalId: true }
    const reply = await app.call('POST', SIGNERS, { ...body, jwksEndpoint: ENDPOINT }, { session })
    assert.equal(reply.status, 201, reply.text)
    return reply.json.data.id
  }
  const tokenOf = (name: string, key: MintKey): string => {
    const iat = Math.floor(app.clock.now() / 1000)
    const claims = { iss: issuerOf(name), aud: 'edge', sub: 'alice', azp: 'alice', iat, exp: iat + 600 }
    return mintToken({ key, alg: 'ES256', claims })
  }
  const logIn = async (name: string, key: MintKey) => (await logInWithToken(app, tokenOf(name, key))).status
  const alice = { name: 'alice', type: 'Default', isAdmin: false, externalId: 'alice' }
  assert.equal((await app.admin('POST', '/edge/management/v1/identities', alice)).status, 201)
  const id = await createSigner('idp')
  assert.equal(await logIn('idp', OLD), 200)
  const publishNew = (): void => {
    published = [OLD, NEW]
    soleOwner = id
  }
  return { app, createSigner, tokenOf, logIn, publishNew }
}

/** Logs in by each of them once with a known key and, after the new key is published, once with an unknown one. */
async function spend({ logIn, publishNew }: Awaited<ReturnType<typeof setUp>>): Promise<void> {
  for (const name of NAMES) assert.equal(await logIn(name, OLD), 200)
  publishNew()
  for (const name of NAMES) assert.equal(await logIn(name, mintKey('P-256', `invented by ${name}`)), 401)
}

test('D52 an untrusted writer whose fetches fail does not use up those of a trusted signer', async (t) => {
  const setup = await setUp(t)
  const { session } = await setup.app.makeIdentity({ permissions: ['external-jwt-signer'] })
  for (const name of NAMES) await setup.createSigner(name, session)
  await spend(setup)
  assert.equal(await setup.logIn('idp', NEW), 200)
})

test('D52 trusted signers share the fetches of their endpoint', async (t) => {
  const setup = await setUp(t)
  for (const name of NAMES) await setup.createSigner(name)
  await spend(setup)
  assert.equal(await setup.logIn('idp', NEW), 401)
})

test('D52 an organization whose fetches fail does not use up those of a trusted signer', async (t) => {
  const { app, tokenOf, logIn, publishNew } = await setUp(t)
  for (const name of NAMES) {
    const record = { name, kind: 'oidc', issuer: issuerOf(name), audience: 'edge', jwksUri: ENDPOINT }
    const body = { ...record, tokenUrl: 'https://idp.example/token' }
    const reply = await app.admin('POST', '/identity/v1/identity-providers', body)
    assert.equal(reply.status, 201, reply.text)
  }
  publishNew()
  for (const name of NAMES) {
    const authorization = `Bearer ${tokenOf(name, mintKey('P-256', `invented by ${name}`))}`
    const reply = await app.call('GET', '/core/v3/networks', undefined, { headers: { authorization } })
    assert.equal(reply.status, 401)
  }
  assert.equal(await logIn('idp', NEW), 200)
})
