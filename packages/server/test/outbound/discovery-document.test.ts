import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { AppError } from '@countersign/core'
import { discoveryUrl, readDiscoveryDocument } from '../../src/outbound/discovery-document.ts'

const ISSUER = 'https://sso.example.com/realms/acme'
const DOCUMENT = {
  issuer: ISSUER,
  authorization_endpoint: `${ISSUER}/protocol/openid-connect/auth`,
  jwks_uri: `${ISSUER}/protocol/openid-connect/certs`,
  scopes_supported: ['offline_access', 'email', 'openid', 'profile'],
}
const body = (document: unknown): Buffer => Buffer.from(JSON.stringify(document))

function assertRefused(bytes: Buffer, reason: RegExp, issuer = ISSUER): void {
  const reading = readDiscoveryDocument(bytes, issuer)
  assert.equal(reading.ok, false)
  assert.match(reading.ok ? '' : reading.reason, reason)
}

describe('readDiscoveryDocument', () => {
  it('D18 returns the signer fields that the document implies', () => {
    assert.deepEqual(readDiscoveryDocument(body(DOCUMENT), ISSUER), {
      ok: true,
      signer: {
        issuer: ISSUER,
        jwksEndpoint: `${ISSUER}/protocol/openid-connect/certs`,
        openIdConfigurationUrl: `${ISSUER}/.well-known/openid-configuration`,
        scopes: ['openid', 'profile', 'email'],
      },
    })
    const bare = readDiscoveryDocument(body({ ...DOCUMENT, scopes_supported: ['x'] }), ISSUER)
    assert.ok(bare.ok && !('scopes' in bare.signer))
  })

  it('D18 refuses a document of another issuer, however similar, and names both', () => {
    const auth0 = { issuer: 'https://acme.us.auth0.com/', jwks_uri: 'https://acme.us.auth0.com/.well-known/jwks.json' }
    assertRefused(
      body(auth0),
      /"https:\/\/acme.us.auth0.com\/", not to "https:\/\/acme.us.auth0.com": use/,
      'https://acme.us.auth0.com',
    )
    assert.equal(readDiscoveryDocument(body(auth0), auth0.issuer).ok, true)
    const entra = { ...DOCUMENT, issuer: 'https://login.microsoftonline.com/{tenantid}/v2.0' }
    assertRefused(body(entra), /the id of your tenant/, 'https://login.microsoftonline.com/common/v2.0')
    assertRefused(
      body({ ...DOCUMENT, issuer: 'https://evil.example' }),
      /to the issuer "https:\/\/evil.example", not to/,
    )
  })

  it('refuses a document without keys to fetch over https', () => {
    assertRefused(body({ ...DOCUMENT, jwks_uri: undefined }), /no "jwks_uri"/)
    assertRefused(body({ ...DOCUMENT, jwks_uri: '/certs' }), /not an absolute URL/)
    assertRefused(body({ ...DOCUMENT, jwks_uri: 'file:///etc/passwd' }), /not an https URL/)
    assertRefused(body({ ...DOCUMENT, jwks_uri: `https://a.example/${'x'.repeat(1024)}` }), /longer than/)
    const local = body({ ...DOCUMENT, jwks_uri: 'http://127.0.0.1:8080/certs' })
    assertRefused(local, /not an https URL/)
    assert.equal(readDiscoveryDocument(local, ISSUER, ({ hostname }) => hostname === '127.0.0.1').ok, true)
  })

  it('refuses anything but a strict JSON object with an issuer', () => {
    assertRefused(Buffer.from(`{"issuer":"x",${JSON.stringify(DOCUMENT).slice(1)}`), /appears twice/)
    assertRefused(Buffer.from('<html>'), /not valid JSON/)
    assertRefused(Buffer.from([0xff]), /not valid JSON/)
    assertRefused(body([DOCUMENT]), /not a JSON object/)
    assertRefused(body({ ...DOCUMENT, issuer: 7 }), /no "issuer"/)
    assert.equal(readDiscoveryDocument(body(DOCUMENT), ISSUER).ok, true)
  })
})

describe('discoveryUrl', () => {
  it('puts the well-known path after the issuer, with one slash between', () => {
    assert.equal(discoveryUrl(ISSUER), `${ISSUER}/.well-known/openid-configuration`)
    assert.equal(discoveryUrl('https://a.example/'), 'https://a.example/.well-known/openid-configuration')
    assert.equal(discoveryUrl('https://a.example'), 'https://a.example/.well-known/openid-configuration')
  })

  it('refuses an issuer that cannot have such a path', () => {
    const refused = ['idp', 'ftp://a.example', 'https://a.example?x=1', 'https://a.example#x', discoveryUrl(ISSUER)]
    for (const issuer of refused) {
      assert.throws(
        () => discoveryUrl(issuer),
        (error) => error instanceof AppError && error.code === 'INVALID_FIELD',
      )
    }
  })
})
