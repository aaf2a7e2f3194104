import type { ResourceServer } from 'oidc-provider'
import { HOSTED_AUDIENCE, SIGNER_AUDIENCE, TOKEN_SECONDS } from './provider-addresses.ts'

/** Scopes of tokens for people. */
export const PERSON_SCOPES = 'openid profile email groups'
/** Scopes of tokens for machines. The hosted API checks them only if the provider record requires a scope. */
export const MACHINE_SCOPES = 'networks'

/** The access tokens of a resource server are JWTs for its audience. */
const JWT_TOKENS = { accessTokenFormat: 'jwt', accessTokenTTL: TOKEN_SECONDS, jwt: { sign: { alg: 'RS256' } } } as const

/** The resource servers by audience. */
export const RESOURCES: Readonly<Record<string, ResourceServer>> = {
  [SIGNER_AUDIENCE]: { ...JWT_TOKENS, audience: SIGNER_AUDIENCE, scope: PERSON_SCOPES },
  [HOSTED_AUDIENCE]: { ...JWT_TOKENS, audience: HOSTED_AUDIENCE, scope: MACHINE_SCOPES },
}
