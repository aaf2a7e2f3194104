import { ALGORITHM_NAMES, GRANT_TYPES, OFFLINE_ACCESS } from '@countersign/core'
import type { Issuers } from '../../oidc/issuers.ts'
import type { SigningKeys } from '../../oidc/signing-keys.ts'
import { OIDC_ALGORITHM } from '../../platform/keys/oidc-key.ts'
import type { Route } from '../pipeline/route.ts'
import { issuerFor, oidcRoute, plainText } from './oidc-call.ts'

export interface DiscoveryRouteParts {
  readonly issuers: Issuers
  readonly signingKeys: Pick<SigningKeys, 'published'>
}

const CLAIMS = [
  ...['sub', 'aud', 'exp', 'iat', 'iss', 'auth_time', 'nonce', 'amr', 'c_hash', 'at_hash', 'scopes', 'client_id'],
  ...['azp', 'name', 'sid'],
]
const LOGIN_STEPS = {
  password: 'password',
  cert: 'cert',
  ext_jwt: 'ext-jwt',
  totp: 'totp',
  totp_enroll: 'totp/enroll',
  totp_enroll_verify: 'totp/enroll/verify',
  auth_queries: 'auth-queries',
}

/** Where and how clients log in. Only what works is listed. */
export function discoveryDocument(issuer: string) {
  return {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/oauth/token`,
    userinfo_endpoint: `${issuer}/userinfo`,
    revocation_endpoint: `${issuer}/revoke`,
    end_session_endpoint: `${issuer}/end_session`,
    jwks_uri: `${issuer}/keys`,
    scopes_supported: ['openid', OFFLINE_ACCESS],
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: GRANT_TYPES,
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: [OIDC_ALGORITHM],
    token_endpoint_auth_methods_supported: ['none'],
    dpop_signing_alg_values_supported: ALGORITHM_NAMES,
    revocation_endpoint_auth_methods_supported: ['none'],
    claims_supported: CLAIMS,
    code_challenge_methods_supported: ['S256'],
    ui_locales_supported: ['en'],
    request_parameter_supported: false,
    request_uri_parameter_supported: false,
    openziti_endpoints: Object.fromEntries(
      Object.entries(LOGIN_STEPS).map(([name, path]) => [name, `${issuer}/login/${path}`]),
    ),
  }
}

/** What clients and other services read before they use the OpenID provider. */
export function discoveryRoutes({ issuers, signingKeys }: DiscoveryRouteParts): Route[] {
  const CONFIGURATION = ['/.well-known/openid-configuration']
  const showConfiguration: Route['handle'] = (call) => ({
    status: 200,
    json: discoveryDocument(issuerFor(issuers, call)),
  })
  const showStatus: Route['handle'] = (call) => {
    issuerFor(issuers, call)
    return { status: 200, json: { status: 'ok' } }
  }
  return [
    oidcRoute({ method: 'GET', paths: CONFIGURATION, rate: 'none', handle: showConfiguration }),
    oidcRoute({ method: 'POST', paths: CONFIGURATION, rate: 'none', handle: showConfiguration }),
    oidcRoute({
      method: 'GET',
      paths: ['/keys'],
      rate: 'none',
      handle: async (call) => {
        issuerFor(issuers, call)
        // The next key is published a day before it signs.
        return { status: 200, headers: { 'cache-control': 'max-age=3600' }, json: await signingKeys.published() }
      },
    }),
    oidcRoute({ method: 'GET', paths: ['/healthz', '/ready'], rate: 'none', handle: showStatus }),
    oidcRoute({
      method: 'GET',
      paths: ['/logged-out'],
      rate: 'none',
      handle: () => plainText(200, 'signed out successfully'),
    }),
  ]
}
