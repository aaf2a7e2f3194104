import assert from 'node:assert/strict'
import { AppError, OAuthError, parseParameters, readAuthorizeRequest } from '@countersign/core'
import type { FuzzTarget } from '../fuzz-target.ts'
import { createMutator } from '../mutate.ts'

const REGISTERED = ['openziti://auth/callback', 'http://127.0.0.1:*/auth/callback', 'https://localhost:*/auth/callback']
const CHALLENGE = 'QXlCoKQIWchT6aoUfan3RMcq-itNbiiOKRnpkXJAPuM'

const REQUESTS = [
  `client_id=openziti&response_type=code&scope=openid+offline_access&state=S&nonce=N&code_challenge=${CHALLENGE}&code_challenge_method=S256&redirect_uri=http%3A%2F%2F127.0.0.1%3A8080%2Fauth%2Fcallback`,
  `client_id=native&response_type=code&scope=openid&code_challenge=${CHALLENGE}&code_challenge_method=S256&redirect_uri=openziti://auth/callback&method=cert&configTypes=a&configTypes=b&prompt=none`,
].map((text) => Buffer.from(text))

export const FORM_WORDS = [
  ...[
    '&',
    '=',
    '+',
    '%',
    '%00',
    '%2F',
    '%3A',
    '%25',
    '%F0%9F',
    '&&',
    '?',
    '#',
    '@',
    '*',
    ':*/',
    '__proto__=x',
    'a[b]=c',
  ],
  ...[
    'client_id=',
    'redirect_uri=',
    'http://127.0.0.1:*/auth/callback',
    'https://evil.example/',
    '//evil.example',
    '\\',
  ],
  ...[
    'code_challenge_method=plain',
    'response_type=token',
    'state=',
    'request=',
    'scope=',
    'prompt=none',
    '\n',
    '\r\n',
  ],
]

/** The authorization endpoint. An accepted request, and an error that is sent to the client, names a registered redirect URI. */
export const authorizeTarget: FuzzTarget = {
  name: 'authorize',
  createInputs: (random) => createMutator(random, { corpus: REQUESTS, dictionary: FORM_WORDS, maxLength: 8192 }),
  accepts: (input) => {
    try {
      const request = readAuthorizeRequest(parseParameters(input.toString(), 'query'), REGISTERED)
      assertRegistered(request.redirectUri)
      assert.match(request.codeChallenge, /^[A-Za-z0-9_-]{43}$/)
      assert.ok((request.state ?? '').length <= 2048 && request.configTypes.length <= 16)
      return true
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      if (error instanceof OAuthError && error.redirect) assertRegistered(error.redirect.redirectUri)
      return false
    }
  },
}

function assertRegistered(uri: string): void {
  assert.match(
    uri,
    /^(?:openziti:\/\/auth\/callback|http:\/\/127\.0\.0\.1:\d{1,5}\/auth\/callback|https:\/\/localhost:\d{1,5}\/auth\/callback)$/,
  )
}
