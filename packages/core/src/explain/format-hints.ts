import { JsonError } from '../json/json-error.ts'
import { isJsonObject, type JsonObject } from '../json/json-value.ts'
import { readJson } from '../json/read-json.ts'
import { readJws } from '../token/read-jws.ts'
import type { RefusalReason } from '../token/verdict.ts'
import { type Hint, type HintKind, hint, visible } from './hint.ts'
import { stripPaste } from './strip-paste.ts'

const JSON_LIMITS = { maxDepth: 8, maxMembers: 100 }
const MAX_PASTED_LENGTH = 64 * 1024
const TOKEN_MEMBERS = ['access_token', 'id_token', 'token']
/** How the base64url of every header begins, since it is that of `{"`. */
const HEADER_START = 'eyJ'

const SENTENCES: Readonly<Partial<Record<RefusalReason, readonly [HintKind, string]>>> = {
  'token-too-large': [
    'token-too-large',
    'the token is longer than 12 KiB: let the provider put fewer groups or roles into it',
  ],
  'token-encrypted': [
    'token-encrypted',
    'this is an encrypted token (JWE), which only its receiver can read: set the provider to issue signed tokens for this API, without encryption',
  ],
  'token-nested': [
    'token-nested',
    'the token holds another token inside (cty is "JWT"): let the provider issue a plain signed one',
  ],
  'header-not-understood': [
    'header-not-understood',
    "the token's header asks for something that is not supported (crit, b64 or a reserved name): let the provider issue a plain signed one",
  ],
  'type-not-accepted': [
    'type-not-accepted',
    'the token\'s header says in "typ" that it is not for signing in, as logout and DPoP tokens do: send the access token or ID token of the provider\'s answer',
  ],
}

/** Tells what is wrong with a text that is no token of the right form. Nothing of the text is repeated. */
export function formatHints(token: string, reason: RefusalReason, detail: string): Hint[] {
  const object = readPastedObject(token)
  if (object) return [objectHint(object)]
  const { text, removed } = stripPaste(token)
  if (text === '') return [EMPTY]
  if (removed.length === 0) return [formHint(text, reason, detail)]
  const without = readJws(text)
  const more = `the text has ${removed.join(' and ')} besides the token: paste the token alone`
  if (without.ok) return [hint('pasted-with-more', `${more}, which is of the right form`)]
  return [hint('pasted-with-more', more), formHint(text, without.reason, without.detail)]
}

function formHint(text: string, reason: RefusalReason, detail: string): Hint {
  const sentence = reason === 'token-encrypted' && !isEncrypted(text) ? undefined : SENTENCES[reason]
  return sentence ? hint(...sentence) : malformedHint(text, detail)
}

/** Five parts alone make no encrypted token: two tokens with a line between them have as many. */
function isEncrypted(text: string): boolean {
  const [header = ''] = text.split('.', 1)
  return Buffer.from(header, 'base64url').toString('latin1').includes('"enc"')
}

const EMPTY = hint(
  'token-empty',
  'there is no token: paste the text that the provider answered as access_token or id_token',
)

function malformedHint(text: string, detail: string): Hint {
  const parts = text.split('.', 6)
  if (!text.startsWith(HEADER_START)) {
    const opaque =
      'this is an opaque token, no JWT, which only the provider that made it can judge: ask the provider for a token for your API (Auth0: an audience; Okta: a custom authorization server; Google, GitHub: the ID token)'
    return hint('token-opaque', opaque)
  }
  if (parts.length === 3 && ['+', '/', '='].some((character) => text.includes(character))) {
    const standard = 'the token is in plain base64 with "+", "/" or "=": use the base64url text that the provider gave'
    return hint('token-standard-base64', standard)
  }
  const isCut = text.endsWith('...') || text.includes('…') || detail.startsWith('signature:')
  if (isCut || parts.length < 3) {
    return hint('token-truncated', 'the end of the token, or something in it, is missing: copy it whole')
  }
  if (parts.length > 3) {
    return hint('token-two-pasted', 'the text has more than the three parts of a token: paste exactly one token')
  }
  return hint(
    'token-malformed',
    `the token is not of the right form (${visible(detail.slice(0, 128).toWellFormed())}): copy it again, unchanged, from the provider's answer`,
  )
}

/** A whole JSON text pasted instead of the token in it. */
function readPastedObject(token: string): JsonObject | undefined {
  if (token.length > MAX_PASTED_LENGTH || !token.trimStart().startsWith('{')) return undefined
  try {
    const value = readJson(token, JSON_LIMITS)
    return isJsonObject(value) ? value : undefined
  } catch (error) {
    if (error instanceof JsonError) return undefined
    throw error
  }
}

function objectHint(object: JsonObject): Hint {
  const member = TOKEN_MEMBERS.find((name) => typeof object[name] === 'string')
  if (member !== undefined) {
    return hint('pasted-answer', `this is the whole answer of the provider: paste only the value of "${member}"`)
  }
  const text = 'this is JSON, not a token: use the compact form, three parts with dots between'
  return hint('token-json-form', text)
}
