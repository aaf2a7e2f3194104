import { fieldError } from '../app-error.ts'
import { parseSelector, selectClaim } from '../claim/selector.ts'
import type { JsonObject } from '../json/json-value.ts'
import type { ClaimRule } from '../token/verify-signer.ts'
import { providerProfile } from './provider-profile.ts'
import type { ProviderSettings } from './provider-settings.ts'

/** The members of a provider record that decide how the client id is read from its tokens. */
export type ClientIdSettings = Pick<ProviderSettings, 'kind' | 'issuer' | 'clientIdClaim'>

/** The claims that can hold the client id, for this provider record. The first one that a token has is used. */
export function clientIdClaimsOf({ kind, issuer, clientIdClaim }: ClientIdSettings): readonly string[] {
  return clientIdClaim === null ? providerProfile(kind, issuer).clientIdClaims : [clientIdClaim]
}

/** The rules for the tokens of this provider record: those of its profile, and that of its client id claim. */
export function claimRulesOf({ kind, issuer, clientIdClaim }: ClientIdSettings): readonly ClaimRule[] {
  const { rules, otherClientIdClaims } = providerProfile(kind, issuer)
  const own = clientIdClaim === null ? undefined : otherClientIdClaims?.get(claimName(clientIdClaim))
  return own ? [...rules, own] : rules
}

/** The client id in the claims of a token, read as this provider record does; undefined when it has none, or the record refuses the token. */
export function findClientId(settings: ClientIdSettings, claims: JsonObject): string | undefined {
  if (!claimRulesOf(settings).every((rule) => rule.holds(claims))) return undefined
  for (const claim of clientIdClaimsOf(settings)) {
    const reading = parseSelector(claim)
    const value = reading.ok ? selectClaim(reading.selector, claims) : undefined
    if (typeof value === 'string') return value
  }
  return undefined
}

/**
 * Throws unless `clientIdClaim` is one of the claims that name the client in tokens of this provider. With any other claim, clients that share
 * its value would be the same account.
 */
export function checkClientIdClaim({ kind, issuer, clientIdClaim }: ClientIdSettings): void {
  if (clientIdClaim === null) return
  const { clientIdClaims, otherClientIdClaims } = providerProfile(kind, issuer)
  const allowed = [...clientIdClaims, ...(otherClientIdClaims?.keys() ?? [])]
  if (allowed.includes(claimName(clientIdClaim))) return
  throw fieldError('clientIdClaim', `clientIdClaim of this provider can be ${allowed.join(', ')}`, clientIdClaim)
}

/** The name of a claim at the top of the token; empty for any other selector. */
function claimName(clientIdClaim: string): string {
  const reading = parseSelector(clientIdClaim)
  const [name = '', ...deeper] = reading.ok ? reading.selector.segments : []
  return deeper.length === 0 ? name : ''
}
