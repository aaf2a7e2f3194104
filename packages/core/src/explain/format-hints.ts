import { isJsonObject, type JsonObject } from '../json/json-value.ts'
import { readJson } from '../json/read-json.ts'
import { readJws } from '../token/read-jws.ts'
import type { RefusalReason } from '../token/verdict.ts'
import { type Hint, type HintKind, hint, visible } from './hint.ts'
import { stripPaste } from './strip-paste.ts'

const JSON_LIMITS = { maxDepth: 8, maxMembers: 100 }
const MAX_PASTED_LENGTH = 64 * 1024
const TOKEN_MEMBERS = ['access_token', 'id_token', 'token']
/** The base64url of `{"`, with which every header begins. */
const HEADER_START = 'eyJ'

const SENTENCES: Readonly<Partial<Record<RefusalReason, readonly [HintKind, string]>>> = {
  'token-too-large': [
    'token-too-large',
    'the token is longer than 12 KiB: configure the provider to put fewer groups or roles into it',
  ],
  'token-encrypted': [
    'token-encrypted',
    'this is an encrypted token (JWE), which only its recipient can read: configure the provider to issue signed tokens for this API, without encryption',
  ],
  'token-nested': [
    'token-nested',
    'the token contains another token (cty is "JWT"): configure the provider to issue a plain signed token',
  ],
  'header-not-understood': [
    'header-not-understood',
    "the token's header requires something that is not supported (crit, b64 or a reserved name): configure the provider to issue a plain signed token",
  ],
  'type-not-accepted': [
    'type-not-accepted',
    'the "typ" in the token\'s header is not for logging in, like that of logout and DPoP tokens: send the access token or ID token from the provider\'s response',
  ],
}

/** Hints for a text that is not a well-formed token. They repeat nothing of the text. */
export function formatHints(token: string, reason: RefusalReason, detail: string): Hint[] {
  const object = readPastedObject(token)
  if (object) return [objectHint(object)]
  const { text, removed } = stripPaste(token)
  if (text === '') return [EMPTY]
  if (removed.length === 0) return [formHint(text, reason, detail)]
  const without = readJws(text)
  const more = `the text has ${removed.join(' and ')} besides the token: paste only the token`
  if (without.ok) return [hint('pasted-with-more', `${more}, which is well-formed`)]
  return [hint('pasted-with-more', more), formHint(text, without.reason, without.detail)]
}

function formHint(text: string, reason: RefusalReason, detail: string): Hint {
  const sentence = reason === 'token-encrypted' && !isEncrypted(text) ? undefined : SENTENCES[reason]
  return sentence ? hint(...sentence) : malformedHint(text, detail)
}

/** Five parts do not suffice: two tokens in two lines have five parts, too. */
function isEncrypted(text: string): boolean {
  const [header = ''] = text.split('.', 1)
  return Buffer.from(header, 'base64url').toString('latin1').includes('"enc"')
}

const EMPTY = hint('token-empty', "there is no token: paste the access_token or id_token from the provider's response")

function malformedHint(text: string, detail: string): Hint {
  const parts = text.split('.', 6)
  if (!text.startsWith(HEADER_START)) {
    const opaque =
      'this is an opaque token, not a JWT, so only its provider can check it: request a token for your API from the provider (Auth0: set an audience; Okta: use a custom authorization server; Google, GitHub: use the ID token)'
    return hint('token-opaque', opaque)
  }
  if (parts.length === 3 && ['+', '/', '='].some((character) => text.includes(character))) {
    const standard = 'the token is in standard base64 with "+", "/" or "=": use the base64url text from the provider'
    return hint('token-standard-base64', standard)
  }
  const isCut = text.endsWith('...') || text.includes('…') || detail.startsWith('signature:')
  if (isCut || parts.length < 3) {
    return hint('token-truncated', 'a part of the token is missing: copy the whole token')
  }
  if (parts.length > 3) {
    return hint('token-two-pasted', 'the text has more than the three parts of a token: paste exactly one token')
  }
  return hint(
    'token-malformed',
    `the token is malformed (${visible(detail.slice(0, 128).toWellFormed())}): copy it again, unchanged, from the provider's response`,
  )
}

/** Parses the text as a JSON object, in case the whole token response was pasted. */
function readPastedObject(token: string): JsonObject | undefined {
  if (token.length > MAX_PASTED_LENGTH || !token.trimStart().startsWith('{')) return undefined
  try {
    const value = readJson(token, JSON_LIMITS)
    return isJsonObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

function objectHint(object: JsonObject): Hint {
  const member = TOKEN_MEMBERS.find((name) => typeof object[name] === 'string')
  if (member !== undefined) {
    return hint('pasted-response', `this is the whole response of the provider: paste only the value of "${member}"`)
  }
  const text = 'this is JSON, not a token: use the compact form, three parts separated by dots'
  return hint('token-json-form', text)
}
