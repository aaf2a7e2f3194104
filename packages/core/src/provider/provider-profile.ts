import type { ProviderKind } from '@countersign/contract'
import type { JsonObject } from '../json/json-value.ts'
import type { ClaimRule } from '../token/verify-signer.ts'
import { type IssuerProduct, productOfIssuer } from './provider-product.ts'

/** How the access tokens of a provider identify a machine client. */
export interface ProviderProfile {
  /** Claims that can hold the client id. The first one that a token has is used. */
  readonly clientIdClaims: readonly string[]
  /** Further claims that name the client, for records that say so. */
  readonly otherClientIdClaims?: readonly string[]
  /** False for Cognito, whose access tokens have no audience. */
  readonly hasAudience: boolean
  readonly rules: readonly ClaimRule[]
}

const isAbsentOr = (value: unknown, ...allowed: readonly unknown[]): boolean =>
  value === undefined || allowed.includes(value)

const COGNITO: ProviderProfile = {
  clientIdClaims: ['client_id'],
  hasAudience: false,
  rules: [
    { expected: '`token_use` is access', holds: ({ token_use }) => token_use === 'access' },
    {
      expected: '`sub` is the `client_id`, not a user',
      holds: ({ sub, client_id }) => typeof client_id === 'string' && sub === client_id,
    },
    { expected: 'no `username`, which only tokens of users have', holds: ({ username }) => username === undefined },
  ],
}

const AUTH0: ProviderProfile = {
  clientIdClaims: ['azp', 'client_id'],
  hasAudience: true,
  rules: [
    {
      expected: '`gty`, where present, is client-credentials',
      holds: ({ gty }) => isAbsentOr(gty, 'client-credentials'),
    },
    { expected: '`sub` is the client, not a user', holds: isOfClient },
  ],
}

function isOfClient({ sub, azp, client_id }: JsonObject): boolean {
  const clientId = azp ?? client_id
  return typeof clientId === 'string' && (sub === `${clientId}@clients` || sub === clientId)
}

/** Values of `typ` in tokens that providers sign with the same keys for other uses. */
const OTHER_TOKEN_TYPES: readonly unknown[] = ['ID', 'Refresh', 'Offline', 'Logout']

const ACCESS_ONLY: readonly ClaimRule[] = [
  {
    expected: 'an access token, not an ID token',
    holds: ({ at_hash, c_hash, typ, token_use }) =>
      at_hash === undefined &&
      c_hash === undefined &&
      !OTHER_TOKEN_TYPES.includes(typ) &&
      isAbsentOr(token_use, 'access'),
  },
]

/** How tokens of applications differ from tokens of users, by product. */
const PRODUCT_PROFILES: Readonly<Record<IssuerProduct, Omit<ProviderProfile, 'hasAudience'>>> = {
  'entra-v2': {
    clientIdClaims: ['azp'],
    rules: [{ expected: 'an application: no `scp`, `idtyp` app', holds: isEntraApplication }],
  },
  'entra-v1': {
    clientIdClaims: ['appid'],
    rules: [{ expected: 'an application: no `scp`, `idtyp` app', holds: isEntraApplication }],
  },
  okta: {
    clientIdClaims: ['cid'],
    rules: [{ expected: 'no `uid`, which only tokens of users have', holds: ({ uid }) => uid === undefined }],
  },
  keycloak: {
    clientIdClaims: ['azp', 'client_id', 'clientId'],
    rules: [
      { expected: 'no `sid` and no `session_state`, which tokens of users have', holds: hasNoSession },
      { expected: 'a service account of the client `azp`', holds: isServiceAccount },
    ],
  },
  // Some issuers name machines by `sub` only, such as Kubernetes.
  other: { clientIdClaims: ['azp', 'client_id'], otherClientIdClaims: ['sub'], rules: [] },
}

function isEntraApplication({ scp, idtyp }: JsonObject): boolean {
  return scp === undefined && isAbsentOr(idtyp, 'app')
}

function hasNoSession({ sid, session_state }: JsonObject): boolean {
  return sid === undefined && session_state === undefined
}

/**
 * Keycloak adds the client's id, as `client_id` or earlier `clientId`, only to tokens of service accounts. The user name alone proves nothing:
 * a person can choose one that begins with `service-account-`.
 */
function isServiceAccount({ azp, client_id, clientId, preferred_username: name }: JsonObject): boolean {
  if (typeof azp !== 'string') return false
  const ownName = `service-account-${azp}`.toLowerCase()
  const isNamed = client_id !== undefined || clientId !== undefined || name === ownName
  return isNamed && isAbsentOr(client_id, azp) && isAbsentOr(clientId, azp) && isAbsentOr(name, ownName)
}

/** The profile that a machine's token must match. Pass the issuer of the provider record, never the token's. */
export function providerProfile(kind: ProviderKind, issuer: string): ProviderProfile {
  if (kind === 'cognito') return COGNITO
  if (kind === 'auth0') return AUTH0
  const profile = PRODUCT_PROFILES[productOfIssuer(issuer)]
  return { ...profile, hasAudience: true, rules: [...ACCESS_ONLY, ...profile.rules] }
}
