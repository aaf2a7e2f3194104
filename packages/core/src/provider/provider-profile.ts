import type { ProviderKind, ProviderSettings } from '@countersign/contract'
import type { JsonObject } from '../json/json-value.ts'
import type { ClaimRule } from '../token/verify-signer.ts'
import { type IssuerProduct, productOfIssuer } from './provider-product.ts'

/** How the access tokens of a provider identify a machine client. */
export interface ProviderProfile {
  /** Claims that can hold the client id. The first one that a token has is used. */
  readonly clientIdClaims: readonly string[]
  /** Further claims that name the client, for records that say so, with what holds in tokens where they do. */
  readonly otherClientIdClaims?: ReadonlyMap<string, ClaimRule>
  /** False for the kind `cognito`: access tokens of user pools have no audience. */
  readonly hasAudience: boolean
  readonly rules: readonly ClaimRule[]
  /** Rules for a token by which an organization proves that a client is its own, where `rules` do not tell machines from users. */
  readonly proofRules?: readonly ClaimRule[]
}

type AudienceSettings = Pick<ProviderSettings, 'kind' | 'issuer' | 'audience'>
type ProductProfile = Omit<ProviderProfile, 'hasAudience'>

const isAbsentOr = (value: unknown, ...allowed: readonly unknown[]): boolean =>
  value === undefined || allowed.includes(value)

const OF_ONE_CLIENT: ClaimRule = { expected: '`sub` is the client, not a user', holds: isOfOneClient }

/** Whether all claims that can name a client name the same one. Auth0 adds `@clients` to a client's `sub`. */
function isOfOneClient({ sub, azp, client_id }: JsonObject): boolean {
  const clientId = azp ?? client_id ?? sub
  const isSubject = sub === clientId || sub === `${clientId}@clients`
  return typeof clientId === 'string' && isSubject && isAbsentOr(client_id, clientId)
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

const WITHOUT_LOGIN: ClaimRule = {
  expected: 'no `sid`, `session_state`, `auth_time` or `nonce`, which tokens of users have',
  holds: (claims) => hasNoSession(claims) && claims.auth_time === undefined && claims.nonce === undefined,
}

/** How tokens of applications differ from tokens of users, by product. */
const PRODUCT_PROFILES: Readonly<Record<IssuerProduct, ProductProfile>> = {
  cognito: {
    clientIdClaims: ['client_id'],
    rules: [
      { expected: '`token_use` is access', holds: ({ token_use }) => token_use === 'access' },
      {
        expected: '`sub` is the `client_id`, not a user',
        holds: ({ sub, client_id }) => typeof client_id === 'string' && sub === client_id,
      },
      { expected: 'no `username`, which only tokens of users have', holds: ({ username }) => username === undefined },
    ],
  },
  auth0: {
    clientIdClaims: ['azp', 'client_id'],
    rules: [
      {
        expected: '`gty`, where present, is client-credentials',
        holds: ({ gty }) => isAbsentOr(gty, 'client-credentials'),
      },
      OF_ONE_CLIENT,
    ],
    proofRules: [WITHOUT_LOGIN],
  },
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
  other: {
    clientIdClaims: ['azp', 'client_id'],
    // Some issuers name machines by `sub` only, such as Kubernetes. Elsewhere clients can share it, for example that of their owner.
    otherClientIdClaims: new Map([
      ['sub', { expected: '`azp` and `client_id`, where present, name the client of `sub`', holds: isOfOneClient }],
    ]),
    rules: [],
    proofRules: [OF_ONE_CLIENT, WITHOUT_LOGIN],
  },
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
  const profile = PRODUCT_PROFILES[productOf(kind, issuer)]
  return { ...profile, hasAudience: kind !== 'cognito', rules: [...ACCESS_ONLY, ...profile.rules] }
}

/** The audience that tokens must have. A stored one is not used where tokens have none. */
export function audienceOf({ kind, issuer, audience }: AudienceSettings): string | null {
  return providerProfile(kind, issuer).hasAudience ? audience : null
}

/** The kind decides only where the issuer does not show the product: otherwise another kind would switch off the rules of the product. */
function productOf(kind: ProviderKind, issuer: string): IssuerProduct {
  // Without an audience, only the rules of Cognito restrict the use of tokens.
  if (kind === 'cognito') return 'cognito'
  const product = productOfIssuer(issuer)
  return product === 'other' && kind === 'auth0' ? 'auth0' : product
}
