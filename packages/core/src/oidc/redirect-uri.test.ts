import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addToUri, isRegisteredUri } from './redirect-uri.ts'

const REGISTERED = ['openziti://auth/callback', 'http://localhost:*/auth/callback', 'https://app.example/cb?a=b']

test('a URI is compared exactly, except for a port that may be any', () => {
  for (const uri of [
    'openziti://auth/callback',
    'http://localhost:0/auth/callback',
    'http://localhost:65535/auth/callback',
    'https://app.example/cb?a=b',
  ]) {
    assert.ok(isRegisteredUri(uri, REGISTERED), uri)
  }
  for (const uri of [
    '',
    'openziti://auth/callback/',
    'http://localhost/auth/callback',
    'http://localhost:/auth/callback',
    'http://localhost:08/auth/callback',
    'http://localhost:65536/auth/callback',
    'http://localhost:*/auth/callback',
    'http://localhost:80/auth/callback?x',
    'http://localhost:80/auth/callback#x',
    'http://localhost:80@evil.example/auth/callback',
    'http://localhost:80/../auth/callback',
    'https://localhost:80/auth/callback',
    'http://LOCALHOST:80/auth/callback',
    'https://app.example/cb',
  ]) {
    assert.equal(isRegisteredUri(uri, REGISTERED), false, uri)
  }
})

test('parameters are added to a URI with or without a query', () => {
  assert.equal(addToUri('a://b', { state: undefined }), 'a://b')
  assert.equal(addToUri('a://b', { code: 'x y', state: '&' }), 'a://b?code=x+y&state=%26')
  assert.equal(addToUri('https://app.example/cb?a=b', { code: 'x' }), 'https://app.example/cb?a=b&code=x')
})
