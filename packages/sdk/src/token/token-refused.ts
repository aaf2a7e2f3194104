import { CountersignError, type ProviderWords } from '../countersign-error.ts'
import { parseJson, textOf } from '../http/read-body.ts'
import { readRetryAfter } from '../http/retry-delay.ts'
import type { Answer } from '../http/transport.ts'

const MAX_WORDS = 500

/** What the errors of token endpoints mean to whoever has to do something about them. */
const HINTS: Readonly<Record<string, string>> = {
  invalid_client: 'the client id or the password is wrong, or was rotated',
  unauthorized_client: 'the client is unknown there, or may not ask for tokens by client credentials',
  access_denied: 'the client id or the password is wrong, or the client may not have tokens for this API',
  invalid_scope: 'the provider does not know the scope, or wants one: set scope',
  invalid_request: 'the provider wants something else in the request: is it the kind of provider that was assumed?',
}
/** Some providers say more in a code of their own. */
const CODE_HINTS: readonly (readonly [string, string])[] = [
  ['AADSTS7000222', 'the client’s secret has expired: make another one'],
  ['AADSTS7000215', 'the client’s secret is wrong: is it the value, and not the id, of the secret?'],
  ['AADSTS700016', 'the provider’s directory does not know this client id: is it the right tenant?'],
  ['AADSTS70011', 'the scope must be the address of one application followed by /.default'],
]

/** The error for a token endpoint that gives no token: status and the provider's words, without any of the secrets. */
export function tokenRefused(answer: Answer, url: string, secrets: readonly string[]): CountersignError {
  const words = readProviderWords(parseJson(answer.text), secrets)
  const said = [words.error, words.description].filter((one) => one !== undefined).join(': ')
  return new CountersignError({
    code: 'TOKEN_REFUSED',
    status: answer.status,
    message: `${new URL(url).host} gives no token: ${answer.status}${said ? ` ${said}` : ''}`,
    hint: CODE_HINTS.find(([code]) => words.description?.includes(code))?.[1] ?? HINTS[words.error ?? ''],
    requestId: words.traceId,
    retryAfterSeconds: readRetryAfter(answer.headers),
    provider: words,
  })
}

/** Reads both forms in which providers complain. */
export function readProviderWords(body: unknown, secrets: readonly string[]): ProviderWords {
  const word = (...names: readonly string[]): string | undefined => {
    const found = names.map((name) => textOf(body, name)).find((one) => one !== undefined)
    return found === undefined ? undefined : cleanWords(found, secrets)
  }
  return {
    error: word('error', 'errorCode'),
    description: word('error_description', 'errorSummary', 'message'),
    traceId: word('trace_id', 'errorId', 'correlation_id'),
  }
}

/** Somebody else's words: cut, on one line, and without what must not be repeated. */
function cleanWords(text: string, secrets: readonly string[]): string {
  const told = secrets.reduce(
    (rest, secret) => (secret ? rest.replaceAll(secret, '***') : rest),
    text.slice(0, 4 * MAX_WORDS),
  )
  return Array.from(told, (character) => (isControl(character) ? ' ' : character))
    .join('')
    .trim()
    .slice(0, MAX_WORDS)
}

function isControl(character: string): boolean {
  const code = character.charCodeAt(0)
  return code < 0x20 || (code >= 0x7f && code <= 0x9f)
}
