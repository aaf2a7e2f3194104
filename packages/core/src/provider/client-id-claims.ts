import { fieldError } from '../app-error.ts'
import { parseSelector } from '../claim/selector.ts'
import { providerProfile } from './provider-profile.ts'
import type { ProviderSettings } from './provider-settings.ts'

type NamesClients = Pick<ProviderSettings, 'kind' | 'issuer' | 'clientIdClaim'>

/** The claims in which tokens name their client, by this record; the first that a token has counts. */
export function clientIdClaimsOf({ kind, issuer, clientIdClaim }: NamesClients): readonly string[] {
  return clientIdClaim === null ? providerProfile(kind, issuer).clientIdClaims : [clientIdClaim]
}

/** What tokens of different clients have in common: whoever took one of these for a client id would be taken for all of them. */
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

/** Throws where the record takes a claim for the client id that cannot tell one client from another. */
export function checkTellsClients({ clientIdClaim }: NamesClients): void {
  const reading = clientIdClaim === null ? undefined : parseSelector(clientIdClaim)
  if (!reading?.ok || !SHARED_CLAIMS.has(reading.selector.segments[0])) return
  const reason =
    'clientIdClaim must be a claim that differs from client to client; tokens of different clients share this one'
  throw fieldError('clientIdClaim', reason, clientIdClaim)
}
