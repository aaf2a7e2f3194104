import type { ResourceServer } from 'oidc-provider'
import { HOSTED_AUDIENCE, SIGNER_AUDIENCE, TOKEN_SECONDS } from './provider-addresses.ts'

/** What people can be asked to let a client know. */
export const PERSON_SCOPES = 'openid profile email groups'
/** What a machine can ask for; the hosted API looks at it only where a record says so. */
export const MACHINE_SCOPES = 'networks'

/** The access tokens of a resource server are JWTs for its audience. */
const JWT_TOKENS = { accessTokenFormat: 'jwt', accessTokenTTL: TOKEN_SECONDS, jwt: { sign: { alg: 'RS256' } } } as const

/** What tokens can be for. */
export const RESOURCES: Readonly<Record<string, ResourceServer>> = {
  [SIGNER_AUDIENCE]: { ...JWT_TOKENS, audience: SIGNER_AUDIENCE, scope: PERSON_SCOPES },
  [HOSTED_AUDIENCE]: { ...JWT_TOKENS, audience: HOSTED_AUDIENCE, scope: MACHINE_SCOPES },
}
