import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { assertHints, signerOf, TENANT, tokenOf } from './explain.fixture.ts'

const AUDIENCE = 'api://countersign'
const CLIENT = 'network-app'

/** ID tokens of real providers. The audience is the client. */
const ID_TOKENS: Readonly<Record<string, { header?: Record<string, unknown>; claims: Record<string, unknown> }>> = {
  keycloak: {
    claims: {
      iss: 'https://sso.example.com/realms/acme',
      typ: 'ID',
      azp: CLIENT,
      nonce: 'n-1',
      at_hash: 'x',
      aud: CLIENT,
    },
  },
  okta: { claims: { iss: 'https://acme.okta.com/oauth2/default', jti: 'ID.abc', amr: ['pwd'], aud: CLIENT } },
  cognito: {
    claims: { iss: 'https://cognito-idp.us-east-1.amazonaws.com/us-east-1_EXAMPLE', token_use: 'id', aud: CLIENT },
  },
  auth0: { claims: { iss: 'https://acme.us.auth0.com/', nonce: 'n-1', sid: 's', aud: CLIENT } },
  google: { claims: { iss: 'https://accounts.google.com', azp: CLIENT, at_hash: 'x', aud: CLIENT } },
  'entra, known by the client id': {
    claims: { iss: `https://login.microsoftonline.com/${TENANT}/v2.0`, tid: TENANT, aud: CLIENT },
  },
}

const ACCESS_TOKENS: typeof ID_TOKENS = {
  keycloak: {
    claims: { iss: 'https://sso.example.com/realms/acme', typ: 'Bearer', nonce: 'n-1', scope: 'email', aud: AUDIENCE },
  },
  okta: {
    claims: { iss: 'https://acme.okta.com/oauth2/default', jti: 'AT.abc', cid: CLIENT, scp: ['a'], aud: AUDIENCE },
  },
  cognito: {
    claims: {
      iss: 'https://cognito-idp.us-east-1.amazonaws.com/us-east-1_EXAMPLE',
      token_use: 'access',
      aud: AUDIENCE,
    },
  },
  'auth0 by RFC 9068': { header: { typ: 'at+jwt' }, claims: { iss: 'https://acme.us.auth0.com/', aud: AUDIENCE } },
  'entra v2': { claims: { iss: `https://login.microsoftonline.com/${TENANT}/v2.0`, azpacr: '1', aud: AUDIENCE } },
  'entra v1': { claims: { iss: `https://sts.windows.net/${TENANT}/`, appid: CLIENT, aud: AUDIENCE } },
}

describe('hints on the kind of token', () => {
  for (const [provider, { header = {}, claims }] of Object.entries(ID_TOKENS)) {
    it(`D18 recognises an ID token where an access token is expected: ${provider}`, async () => {
      const issuer = String(claims.iss)
      const token = tokenOf(claims, { header })
      const access = signerOf({ issuer, audience: AUDIENCE, clientId: CLIENT })
      const text = await assertHints(token, ['id-token', 'audience-mismatch'], { signers: [access] })
      assert.match(text, /this is an ID token \(.*set targetToken to ID and audience to "network-app"/)
      const id = signerOf({ issuer, audience: CLIENT, clientId: CLIENT, targetToken: 'ID' })
      await assertHints(token, [], { signers: [id] })
    })
  }

  for (const [provider, { header = {}, claims }] of Object.entries(ACCESS_TOKENS)) {
    it(`D18 recognises an access token where an ID token is expected: ${provider}`, async () => {
      const issuer = String(claims.iss)
      const token = tokenOf(claims, { header })
      const id = signerOf({ issuer, audience: CLIENT, clientId: CLIENT, targetToken: 'ID' })
      const text = await assertHints(token, ['access-token', 'audience-mismatch'], { signers: [id] })
      assert.match(text, /this is an access token \(.*send the ID token from the same response/)
      await assertHints(token, [], { signers: [signerOf({ issuer, audience: AUDIENCE })] })
    })
  }

  it('gives no hint on the kind of a token that is only expired', async () => {
    const claims = { iss: 'https://idp.example/a', aud: AUDIENCE, nonce: 'n-1' }
    await assertHints(tokenOf({ ...claims, exp: 1000, iat: 900 }), ['expired-long-ago'])
    await assertHints(tokenOf({ ...claims, aud: CLIENT }), ['id-token', 'audience-mismatch'])
  })

  it('recognises a refresh token of Keycloak, and gives no other hints', async () => {
    const claims = { iss: 'https://sso.example.com/realms/acme', aud: 'https://sso.example.com/realms/acme' }
    const context = { signers: [signerOf({ issuer: claims.iss })] }
    const signed = { alg: 'HS512', sign: () => Buffer.alloc(64) } as const
    await assertHints(tokenOf({ ...claims, typ: 'Refresh' }, signed), ['refresh-token'], context)
    await assertHints(tokenOf({ ...claims, typ: 'Offline' }, signed), ['refresh-token'], context)
    await assertHints(tokenOf({ ...claims, typ: 'Bearer' }), ['audience-mismatch'], context)
  })
})
