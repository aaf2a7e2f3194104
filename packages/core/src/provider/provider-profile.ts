import type { ProviderKind } from '@countersign/contract'
import type { JsonObject } from '../json/json-value.ts'
import type { ClaimRule } from '../token/verify-signer.ts'
import { type IssuerProduct, productOfIssuer } from './provider-product.ts'

/** How the access tokens of a kind of provider say who the machine is. */
export interface ProviderProfile {
  /** Claims that carry the client id; the first that a token has counts. */
  readonly clientIdClaims: readonly string[]
  /** A user pool's access tokens name no audience. */
  readonly hasAudience: boolean
  readonly rules: readonly ClaimRule[]
}

const isAbsentOr = (value: unknown, ...good: readonly unknown[]): boolean => value === undefined || good.includes(value)

const USER_POOL: ProviderProfile = {
  clientIdClaims: ['client_id'],
  hasAudience: false,
  rules: [
    { expected: '`token_use` is access', holds: ({ token_use }) => token_use === 'access' },
    { expected: 'no `username`, which only tokens of people have', holds: ({ username }) => username === undefined },
  ],
}

const HOSTED_PLATFORM: ProviderProfile = {
  clientIdClaims: ['azp', 'client_id'],
  hasAudience: true,
  rules: [
    {
      expected: '`gty`, where present, is client-credentials',
      holds: ({ gty }) => isAbsentOr(gty, 'client-credentials'),
    },
    { expected: '`sub` is the client, not a person', holds: isOfClient },
  ],
}

function isOfClient({ sub, azp, client_id }: JsonObject): boolean {
  const clientId = azp ?? client_id
  return typeof clientId === 'string' && (sub === `${clientId}@clients` || sub === clientId)
}

/** Tokens that providers sign with the same keys for other uses. */
const NOT_FOR_ACCESS: readonly unknown[] = ['ID', 'Refresh', 'Offline', 'Logout']

const ACCESS_ONLY: readonly ClaimRule[] = [
  {
    expected: 'an access token, no ID token',
    holds: ({ at_hash, c_hash, typ, token_use }) =>
      at_hash === undefined && c_hash === undefined && !NOT_FOR_ACCESS.includes(typ) && isAbsentOr(token_use, 'access'),
  },
]

/** What tells an application from a person in the tokens of the enterprise providers that people use. */
const OF_PRODUCT: Readonly<Record<IssuerProduct, Omit<ProviderProfile, 'hasAudience'>>> = {
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
    rules: [{ expected: 'no `uid`, which only tokens of people have', holds: ({ uid }) => uid === undefined }],
  },
  keycloak: {
    clientIdClaims: ['azp', 'client_id', 'clientId'],
    rules: [{ expected: '`preferred_username` is of a service account', holds: isServiceAccount }],
  },
  other: { clientIdClaims: ['azp', 'client_id'], rules: [] },
}

function isEntraApplication({ scp, idtyp }: JsonObject): boolean {
  return scp === undefined && isAbsentOr(idtyp, 'app')
}

function isServiceAccount({ preferred_username: name }: JsonObject): boolean {
  return name === undefined || (typeof name === 'string' && name.startsWith('service-account-'))
}

/** What a token of this provider must look like to be a machine's. The issuer is that of the record, never the token's. */
export function providerProfile(kind: ProviderKind, issuer: string): ProviderProfile {
  if (kind === 'cognito') return USER_POOL
  if (kind === 'auth0') return HOSTED_PLATFORM
  const { clientIdClaims, rules } = OF_PRODUCT[productOfIssuer(issuer)]
  return { clientIdClaims, hasAudience: true, rules: [...ACCESS_ONLY, ...rules] }
}
