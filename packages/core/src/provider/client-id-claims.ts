import { fieldError } from '../app-error.ts'
import { parseSelector } from '../claim/selector.ts'
import { providerProfile } from './provider-profile.ts'
import type { ProviderSettings } from './provider-settings.ts'

type ClientIdSettings = Pick<ProviderSettings, 'kind' | 'issuer' | 'clientIdClaim'>

/** The claims that can hold the client id, for this provider record. The first one that a token has is used. */
export function clientIdClaimsOf({ kind, issuer, clientIdClaim }: ClientIdSettings): readonly string[] {
  return clientIdClaim === null ? providerProfile(kind, issuer).clientIdClaims : [clientIdClaim]
}

/** Claims with the same value for different clients. As client id, one of these would make all clients the same account. */
const SHARED_CLAIMS: ReadonlySet<string | undefined> = new Set([
  'iss',
  'aud',
  'exp',
  'nbf',
  'iat',
  'auth_time',
  'typ',
  'token_use',
  'scope',
  'scp',
  'gty',
  'ver',
  'version',
  'tid',
  'idp',
  'idtyp',
  'acr',
  'amr',
  'azpacr',
  'appidacr',
  'roles',
  'groups',
  'permissions',
  'realm_access',
  'resource_access',
  'allowed-origins',
])

/** Throws when `clientIdClaim` is a claim that does not distinguish clients. */
export function checkClientIdClaim({ clientIdClaim }: ClientIdSettings): void {
  const reading = clientIdClaim === null ? undefined : parseSelector(clientIdClaim)
  if (!reading?.ok || !SHARED_CLAIMS.has(reading.selector.segments[0])) return
  const reason =
    'clientIdClaim must be a claim that differs from client to client; tokens of different clients share this one'
  throw fieldError('clientIdClaim', reason, clientIdClaim)
}
