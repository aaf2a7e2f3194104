import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isBelowIssuer } from './issuer-endpoint.ts'

const ISSUER = 'https://idp.example/tenants/acme'

test('N-13 an endpoint is the issuer’s own when it is below the issuer', () => {
  for (const url of [`${ISSUER}/keys`, `${ISSUER}/v1/keys?x=1`]) assert.equal(isBelowIssuer(ISSUER, url), true, url)
  assert.equal(isBelowIssuer('https://idp.example', 'https://idp.example/.well-known/jwks.json'), true)
  assert.equal(isBelowIssuer('https://idp.example/', 'https://idp.example/.well-known/jwks.json'), true)
})

test('N-13 an endpoint elsewhere, of another tenant of the host, or with a path that servers read differently is not', () => {
  const others = [
    'https://evil.example/tenants/acme/keys',
    'http://idp.example/tenants/acme/keys',
    'https://idp.example:8443/tenants/acme/keys',
    'https://idp.example/tenants/other/keys',
    'https://idp.example/tenants/acme-other/keys',
    `${ISSUER}/../other/keys`,
    `${ISSUER}/%2e%2e/other/keys`,
    `${ISSUER}/..%2fother/keys`,
    `${ISSUER}/..;/other/keys`,
    `${ISSUER}/keys;v=1`,
    `${ISSUER}`,
    'not a URL',
  ]
  for (const url of others) assert.equal(isBelowIssuer(ISSUER, url), false, url)
  assert.equal(isBelowIssuer('https://git.example', 'https://git.example/mallory/files/raw/jwks.json'), false)
  assert.equal(isBelowIssuer(`${ISSUER}?a=b`, `${ISSUER}/keys`), false)
  assert.equal(isBelowIssuer('not a URL', `${ISSUER}/keys`), false)
})
