import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readNextPage } from './next-page.ts'

test('Q-08 the page after a login is in the console, never elsewhere', () => {
  for (const page of ['/console/signers', '/console/signers/a%20b?q=1&sort=name%20asc', '/console/policies/default']) {
    assert.equal(readNextPage(page), page)
  }
  const elsewhere = [
    'https://evil.example/console/signers',
    '//evil.example/console/',
    '/\\evil.example',
    '/console/\\..\\..\\evil',
    '/console/../evil',
    '/console/%2e%2e/evil',
    '/console//evil.example',
    '/console/./..//evil.example',
    'javascript:alert(1)',
    '\t//evil.example',
    '/console/\n/evil.example',
    '/consoles/evil',
    'console/signers',
    '/console/',
    '/console/sign-in?next=/console/signers',
    '/console/login/some-signer',
    '/console/callback?code=x',
    `/console/${'x'.repeat(1024)}`,
    ['/console/signers'],
    17,
    undefined,
  ]
  for (const next of elsewhere) assert.equal(readNextPage(next), undefined, String(next))
})
