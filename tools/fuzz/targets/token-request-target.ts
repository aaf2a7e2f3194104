import assert from 'node:assert/strict'
import { AppError, OIDC_CLIENTS, parseParameters, readTokenRequest } from '@countersign/core'
import type { FuzzTarget } from '../fuzz-target.ts'
import { createMutator } from '../mutate.ts'
import { FORM_WORDS } from './authorize-target.ts'

/** A form, and after a line break the `Authorization` header. */
const REQUESTS = [
  'grant_type=authorization_code&client_id=openziti&code=abc&code_verifier=def&redirect_uri=openziti%3A%2F%2Fauth%2Fcallback\n',
  'grant_type=refresh_token&refresh_token=eyJ.eyJ.x&scope=openid\nBasic bmF0aXZlOg==',
  'grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Atoken-exchange&subject_token=a.b.c&subject_token_type=urn%3Aietf%3Aparams%3Aoauth%3Atoken-type%3Arefresh_token&requested_token_type=urn%3Aietf%3Aparams%3Aoauth%3Atoken-type%3Aid_token&client_id=native&audience=openziti\n',
].map((text) => Buffer.from(text))

const WORDS = [
  ...FORM_WORDS,
  ...['grant_type=', 'grant_type=password', 'code=', 'code_verifier=', 'csr_pem=', 'subject_token_type=', 'audience='],
  ...[
    'Basic ',
    'Basic bmF0aXZlOnNlY3JldA==',
    'Bearer x',
    'Basic =',
    '\nBasic',
    'urn:ietf:params:oauth:token-type:access_token',
  ],
]

/** The token endpoint. An accepted request names a known client and has what its grant needs. */
export const tokenRequestTarget: FuzzTarget = {
  name: 'token-request',
  createInputs: (random) => createMutator(random, { corpus: REQUESTS, dictionary: WORDS, maxLength: 8192 }),
  accepts: (input) => {
    const text = input.toString()
    const end = text.indexOf('\n')
    const [form, authorization] = end < 0 ? [text, undefined] : [text.slice(0, end), text.slice(end + 1) || undefined]
    try {
      const request = readTokenRequest(parseParameters(form, 'form'), authorization)
      assert.ok(OIDC_CLIENTS.includes(request.clientId))
      const secret = request.grant === 'authorization_code' ? request.untrustedCode : request.untrustedToken
      assert.ok(secret.length > 0)
      if (request.grant === 'authorization_code') assert.ok(request.codeVerifier.length > 0)
      if (request.grant === 'exchange') assert.notEqual(request.subject, 'id_token')
      return true
    } catch (error) {
      if (error instanceof AppError) return false
      throw error
    }
  },
}
