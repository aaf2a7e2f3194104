import type { Parameters } from '../text/parse-parameters.ts'
import { type ErrorRedirect, OAuthError } from './oauth-error.ts'
import { type OidcClientId, parseClientId } from './oidc-client.ts'
import { isCodeChallenge } from './pkce.ts'
import { isRegisteredUri } from './redirect-uri.ts'
import { parseScopes } from './scopes.ts'

export const OIDC_LOGIN_METHODS = ['password', 'cert', 'ext-jwt'] as const
export type OidcLoginMethod = (typeof OIDC_LOGIN_METHODS)[number]

/** A valid request of the authorization endpoint. */
export interface AuthorizeRequest {
  readonly clientId: OidcClientId
  readonly redirectUri: string
  readonly scopes: readonly string[]
  readonly codeChallenge: string
  readonly state: string | undefined
  readonly nonce: string | undefined
  readonly configTypes: readonly string[]
  /** The login page that the client asks for. */
  readonly method: OidcLoginMethod | undefined
  readonly idTokenHint: string | undefined
  /** The client does not want the user to be asked for anything. */
  readonly isSilent: boolean
}

/** A begun login is stored, and no one has authenticated yet. */
const MAX_LENGTHS = { client_id: 64, redirect_uri: 2048, scope: 1024, state: 2048, nonce: 512 } as const
const MAX_CONFIG_TYPES = 16
const MAX_CONFIG_TYPE_LENGTH = 64
/** Parameters whose first and second value could mean different things to client and server (RFC 6749 section 3.1). */
const SINGLE = [
  ...['client_id', 'redirect_uri', 'response_type', 'scope', 'state', 'nonce', 'request', 'id_token_hint', 'prompt'],
  ...['code_challenge', 'code_challenge_method'],
]

/**
 * Parses a request of the authorization endpoint. Fails with an OAuthError: without a redirect as long as the redirect URI is not known to be the
 * client's own.
 */
export function readAuthorizeRequest(parameters: Parameters, registeredUris: readonly string[]): AuthorizeRequest {
  checkLengths(parameters)
  const client = parameters.get('client_id')
  if (!client) throw new OAuthError('invalid_request', 'auth request is missing client_id')
  const clientId = parseClientId(client)
  const redirectUri = parameters.get('redirect_uri')
  if (!redirectUri) throw new OAuthError('invalid_request', 'auth request is missing redirect_uri')
  if (!isRegisteredUri(redirectUri, registeredUris)) {
    throw new OAuthError('invalid_request', 'the redirect_uri is not one of the client')
  }
  const state = parameters.get('state')
  const codeChallenge = readCodeChallenge(parameters, { redirectUri, state })
  return {
    clientId,
    redirectUri,
    state,
    codeChallenge,
    scopes: parseScopes(parameters.get('scope') ?? ''),
    nonce: parameters.get('nonce') || undefined,
    configTypes: readConfigTypes(parameters),
    method: OIDC_LOGIN_METHODS.find((method) => method === parameters.get('method')),
    idTokenHint: parameters.get('id_token_hint') || undefined,
    isSilent: (parameters.get('prompt') ?? '').split(' ').includes('none'),
  }
}

function checkLengths(parameters: Parameters): void {
  const repeated = SINGLE.find((name) => parameters.all(name).length > 1)
  if (repeated !== undefined) throw new OAuthError('invalid_request', `${repeated} is given more than once`)
  for (const [name, maxLength] of Object.entries(MAX_LENGTHS)) {
    const value = parameters.get(name)
    if (value !== undefined && value.length > maxLength) {
      throw new OAuthError('invalid_request', `${name} is longer than ${maxLength} characters`)
    }
  }
}

/** Returns the challenge, after the checks whose errors the client receives by a redirect. */
function readCodeChallenge(parameters: Parameters, redirect: ErrorRedirect): string {
  const responseType = parameters.get('response_type')
  if (!responseType) throw new OAuthError('invalid_request', 'response_type is missing', { redirect })
  if (responseType !== 'code')
    throw new OAuthError('unauthorized_client', 'the only response_type is code', { redirect })
  if (!parameters.get('scope')) throw new OAuthError('invalid_request', 'scope is missing', { redirect })
  if (parameters.get('request')) {
    throw new OAuthError('invalid_request', 'request objects are not supported', { redirect })
  }
  const challenge = parameters.get('code_challenge')
  if (!challenge) throw new OAuthError('invalid_request', 'code_challenge is missing: PKCE is required', { redirect })
  if (parameters.get('code_challenge_method') !== 'S256') {
    throw new OAuthError('invalid_request', 'the only code_challenge_method is S256', { redirect })
  }
  if (!isCodeChallenge(challenge)) {
    throw new OAuthError('invalid_request', 'code_challenge is not a SHA-256 digest in base64url', { redirect })
  }
  return challenge
}

function readConfigTypes(parameters: Parameters): readonly string[] {
  const types = parameters.all('configTypes').filter((type) => type !== '')
  return types.filter((type) => type.length <= MAX_CONFIG_TYPE_LENGTH).slice(0, MAX_CONFIG_TYPES)
}
