import { TOKEN_EXCHANGE_GRANT } from '@countersign/contract/token-exchange'
import type { Parameters } from '../text/parse-parameters.ts'
import { OAuthError } from './oauth-error.ts'
import { type OidcClientId, parseClientId } from './oidc-client.ts'

const TOKEN_TYPE = 'urn:ietf:params:oauth:token-type:'
const TOKEN_KINDS = ['access_token', 'refresh_token', 'id_token'] as const
export type TokenKind = (typeof TOKEN_KINDS)[number]

/** The URN of a kind of token (RFC 8693 section 3). */
export const tokenTypeOf = (kind: TokenKind): string => TOKEN_TYPE + kind

/** A request of the token endpoint. Tokens and codes in it are not verified. */
export type TokenRequest = { readonly clientId: OidcClientId; readonly csrPem: string | undefined } & (
  | {
      readonly grant: 'authorization_code'
      readonly untrustedCode: string
      readonly codeVerifier: string
      readonly redirectUri: string | undefined
    }
  | { readonly grant: 'refresh_token'; readonly untrustedToken: string; readonly scope: string | undefined }
  | {
      readonly grant: 'exchange'
      readonly untrustedToken: string
      readonly subject: TokenKind
      /** Undefined when the client does not say. */
      readonly requested: TokenKind | undefined
      readonly audience: OidcClientId | undefined
      readonly scope: string | undefined
    }
)

type Grant = TokenRequest['grant']
type GrantMembers<Name extends Grant> = Omit<Extract<TokenRequest, { grant: Name }>, 'clientId' | 'csrPem'>
type ReadGrant = (form: Parameters) => GrantMembers<Grant>

/** A Map, so that a name from a form cannot reach a prototype. */
const GRANTS: ReadonlyMap<string, ReadGrant> = new Map<string, ReadGrant>([
  ['authorization_code', readCodeGrant],
  ['refresh_token', readRefreshGrant],
  [TOKEN_EXCHANGE_GRANT, readExchange],
])

export const GRANT_TYPES: readonly string[] = [...GRANTS.keys()]

/** Grants that are known but that no client may use. */
const NOT_FOR_CLIENTS: readonly string[] = ['urn:ietf:params:oauth:grant-type:device_code']
const MAX_SHOWN_GRANT = 64

/** A parameter whose first and second value could mean different things to client and server (RFC 6749 section 3.2). */
const SINGLE = [
  ...['grant_type', 'client_id', 'code', 'code_verifier', 'redirect_uri', 'refresh_token', 'scope', 'csr_pem'],
  ...['subject_token', 'subject_token_type', 'requested_token_type', 'audience'],
]

/** Parses a request of the token endpoint: its form and the `Authorization` header. Fails with an OAuthError. */
export function readTokenRequest(form: Parameters, authorization: string | undefined): TokenRequest {
  const repeated = SINGLE.find((name) => form.all(name).length > 1)
  if (repeated !== undefined) throw new OAuthError('invalid_request', `${repeated} is given more than once`)
  const grantType = form.get('grant_type')
  if (!grantType) throw new OAuthError('invalid_request', 'grant_type missing')
  const readGrant = GRANTS.get(grantType)
  if (!readGrant) throw refusedGrant(grantType)
  const clientId = readClient(form, authorization)
  return { ...readGrant(form), clientId, csrPem: form.get('csr_pem') || undefined } as TokenRequest
}

/**
 * The client of a request: `client_id` in the form, or Basic with an empty secret, as the Go SDK sends it. Clients are public: they have no secret.
 * Fails with invalid_request or invalid_client.
 */
export function readClient(form: Parameters, authorization: string | undefined): OidcClientId {
  const inForm = form.get('client_id') || undefined
  const inHeader = readBasicClient(authorization)
  if (inForm !== undefined && inHeader !== undefined && inForm !== inHeader) {
    throw new OAuthError('invalid_request', 'client_id and the Authorization header name different clients')
  }
  const client = inForm ?? inHeader
  if (client === undefined) {
    throw new OAuthError('invalid_request', 'client_id or client_assertion must be provided')
  }
  return parseClientId(client)
}

const BASIC = /^basic +([A-Za-z0-9+/]+={0,2})$/i

function readBasicClient(authorization: string | undefined): string | undefined {
  const encoded = BASIC.exec(authorization ?? '')?.[1]
  if (encoded === undefined) return undefined
  const [client = '', ...secret] = Buffer.from(encoded, 'base64').toString().split(':')
  if (secret.join(':') !== '') throw new OAuthError('invalid_client', 'the client has no secret')
  return client
}

function refusedGrant(grantType: string): OAuthError {
  if (NOT_FOR_CLIENTS.includes(grantType)) return new OAuthError('unauthorized_client', 'grant_type not allowed')
  return new OAuthError('unsupported_grant_type', `${grantType.slice(0, MAX_SHOWN_GRANT)} not supported`)
}

function readCodeGrant(form: Parameters): GrantMembers<'authorization_code'> {
  const untrustedCode = need(form, 'code', 'code missing')
  const codeVerifier = need(form, 'code_verifier', 'code_verifier required')
  return { grant: 'authorization_code', untrustedCode, codeVerifier, redirectUri: form.get('redirect_uri') }
}

function readRefreshGrant(form: Parameters): GrantMembers<'refresh_token'> {
  const untrustedToken = need(form, 'refresh_token', 'refresh_token missing')
  return { grant: 'refresh_token', untrustedToken, scope: form.get('scope') || undefined }
}

function readExchange(form: Parameters): GrantMembers<'exchange'> {
  const untrustedToken = need(form, 'subject_token', 'subject_token missing')
  const subject = readKind(form, 'subject_token_type')
  if (subject === undefined) throw new OAuthError('invalid_request', 'subject_token_type missing')
  if (subject === 'id_token') {
    throw new OAuthError('invalid_request', 'exchanging id_token for any token type is not supported')
  }
  const audience = form.get('audience') || undefined
  return {
    grant: 'exchange',
    untrustedToken,
    subject,
    requested: readKind(form, 'requested_token_type'),
    audience: audience === undefined ? undefined : readAudience(audience),
    scope: form.get('scope') || undefined,
  }
}

function readKind(form: Parameters, name: string): TokenKind | undefined {
  const type = form.get(name)
  if (!type) return undefined
  const kind = TOKEN_KINDS.find((known) => type === tokenTypeOf(known))
  if (kind === undefined) throw new OAuthError('invalid_request', `${name} is not supported`)
  return kind
}

function readAudience(audience: string): OidcClientId {
  try {
    return parseClientId(audience)
  } catch {
    throw new OAuthError('invalid_target', 'invalid audience requested')
  }
}

function need(form: Parameters, name: string, missing: string): string {
  const value = form.get(name)
  if (!value) throw new OAuthError('invalid_request', missing)
  return value
}
