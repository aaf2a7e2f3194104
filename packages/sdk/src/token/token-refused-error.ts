import { CountersignError, type ProviderError } from '../countersign-error.ts'
import { parseJson, textOf } from '../http/read-body.ts'
import { readRetryAfter } from '../http/retry-delay.ts'
import type { HttpResponse } from '../http/transport.ts'

const MAX_LENGTH = 500

/** By the `error` of a token endpoint. A map, because a provider can send `constructor`, which every object has. */
const HINTS: ReadonlyMap<string | undefined, string> = new Map([
  ['invalid_client', 'the client id or the password is wrong, or was rotated'],
  ['unauthorized_client', 'the provider does not know the client, or does not allow it the client credentials grant'],
  ['access_denied', 'the client id or the password is wrong, or the client is not allowed tokens for this API'],
  ['invalid_scope', 'the provider does not know the scope, or requires one: set scope'],
  ['invalid_request', 'the provider expects another request: check provider'],
])
/** By a code of the provider in `error_description`. */
const CODE_HINTS: readonly (readonly [string, string])[] = [
  ['AADSTS7000222', 'the client’s secret has expired: create another one'],
  ['AADSTS7000215', 'the client’s secret is wrong: use the value of the secret, not its id'],
  ['AADSTS700016', 'the tenant does not know this client id: check the tenant'],
  ['AADSTS70011', 'the scope must be the address of one application followed by /.default'],
]

/** The TOKEN_REFUSED error for an error response of a token endpoint. Removes `secrets` from the provider's texts. */
export function tokenRefusedError(response: HttpResponse, url: string, secrets: readonly string[]): CountersignError {
  const error = readProviderError(parseJson(response.text), secrets)
  const text = [error.error, error.description].filter((part) => part !== undefined).join(': ')
  return new CountersignError({
    code: 'TOKEN_REFUSED',
    status: response.status,
    message: `${new URL(url).host} issues no token: ${response.status}${text ? ` ${text}` : ''}`,
    hint: CODE_HINTS.find(([code]) => error.description?.includes(code))?.[1] ?? HINTS.get(error.error),
    requestId: error.traceId,
    retryAfterSeconds: readRetryAfter(response.headers),
    provider: error,
  })
}

/** Reads an OAuth error (RFC 6749) or one in Okta's own format. */
export function readProviderError(body: unknown, secrets: readonly string[]): ProviderError {
  const text = (...names: readonly string[]): string | undefined => {
    const found = names.map((name) => textOf(body, name)).find((value) => value !== undefined)
    return found === undefined ? undefined : cleanText(found, secrets)
  }
  return {
    error: text('error', 'errorCode'),
    description: text('error_description', 'errorSummary', 'message'),
    traceId: text('trace_id', 'errorId', 'correlation_id'),
  }
}

/** Untrusted text: truncated, on one line, without secrets. */
function cleanText(text: string, secrets: readonly string[]): string {
  const withoutSecrets = secrets.reduce(
    (rest, secret) => (secret ? rest.replaceAll(secret, '***') : rest),
    text.slice(0, 4 * MAX_LENGTH),
  )
  return Array.from(withoutSecrets, (character) => (isControl(character) ? ' ' : character))
    .join('')
    .trim()
    .slice(0, MAX_LENGTH)
}

function isControl(character: string): boolean {
  const code = character.charCodeAt(0)
  return code < 0x20 || (code >= 0x7f && code <= 0x9f)
}
