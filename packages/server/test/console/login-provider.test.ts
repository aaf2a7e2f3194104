import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LoginProviders } from '../../src/login/console/login-provider.ts'
import { HandshakeCosts } from '../../src/outbound/handshake-costs.ts'
import { storedSigner } from '../token/stored-signer.fixture.ts'

const ISSUER = 'https://idp.example'
const HANDSHAKE_BYTES = 5_000

const signer = storedSigner('signer', {
  name: 'provider',
  enabled: true,
  issuer: ISSUER,
  audience: 'overlay',
  jwksEndpoint: `${ISSUER}/jwks`,
  openIdConfigurationUrl: `${ISSUER}/.well-known/openid-configuration`,
  clientId: 'console',
})

test('G-32 invented codes use up what the handshakes of their own network may cost, and of no other', async () => {
  let now = 0
  const costs = new HandshakeCosts(() => now)
  const document = {
    issuer: ISSUER,
    authorization_endpoint: `${ISSUER}/auth`,
    token_endpoint: `${ISSUER}/token`,
  }
  const providers = new LoginProviders({
    clock: { now: () => now },
    fetchDocument: async (url, { owner, send }) => {
      const callee = { owner, host: new URL(url).host }
      costs.check(callee)
      costs.note(callee, HANDSHAKE_BYTES)
      const body = Buffer.from(JSON.stringify(send ? { error: 'invalid_grant' } : document))
      return { body, status: 200, headers: {} } as never
    },
  })
  const provider = await providers.find(signer)
  const redeem = async (clientAddress: string): Promise<string> => {
    const code = { code: 'invented', verifier: 'v', nonce: 'n', redirectUri: 'https://own.example/callback' }
    return providers.redeem(signer, provider, { ...code, clientAddress }).then(
      () => 'redeemed',
      (error) => error.message,
    )
  }
  let sent = 0
  while (!(await redeem('192.0.2.1')).includes('too many certificates')) sent++
  assert.ok(sent > 200, `${sent} were sent`)
  assert.match(await redeem('192.0.2.2'), /no ID token/, 'sent to the provider')
  now += 600_000
  assert.equal((await providers.find(signer)).issuer, ISSUER, 'its discovery document is fetched again')
})
