import { CountersignError } from '../countersign-error.ts'
import { type CallOptions, Transport, type TransportOptions } from '../http/transport.ts'
import { discoverProvider, type ProviderDocument } from '../token/discover-provider.ts'
import { guessProvider } from '../token/provider-name.ts'
import type { ClientSigner } from '../wire-types.ts'

/** The members of a signer that a login needs; the client view has them all. */
export type LoginSigner = Pick<ClientSigner, 'clientId' | 'scopes' | 'targetToken'> &
  Partial<Pick<ClientSigner, 'name' | 'audience' | 'openIdConfigurationUrl' | 'externalAuthUrl'>>

export interface LoginOptions extends CallOptions, TransportOptions {
  readonly signer: LoginSigner
  /** The address of the controller that the signer was read from. If given, a provider at http://localhost needs a controller there. */
  readonly controllerUrl?: string | undefined
  /** Additional parameters of the request, for providers that require them. */
  readonly parameters?: Readonly<Record<string, string>> | undefined
}

/** The provider and the client of a login. */
export interface LoginTarget {
  readonly transport: Transport
  readonly provider: ProviderDocument
  readonly clientId: string
  readonly targetToken: 'ACCESS' | 'ID'
  /** `scope` and the other parameters that both kinds of login send. */
  readonly parameters: Readonly<Record<string, string>>
}

const OPENID = 'openid'

/** Reads the provider's discovery document. Throws BAD_DISCOVERY, also for a signer without address or client id. */
export async function findLoginTarget(options: LoginOptions): Promise<LoginTarget> {
  const { signer, controllerUrl: namedBy, signal, timeoutMs } = options
  const address = signer.openIdConfigurationUrl || signer.externalAuthUrl
  if (!address || !signer.clientId) {
    throw new CountersignError({
      code: 'BAD_DISCOVERY',
      message: `the signer ${signer.name ?? ''} offers no login in a browser`,
      hint: 'set its openIdConfigurationUrl (or externalAuthUrl) and clientId; if it has them, an administrator must trust it',
    })
  }
  const transport = new Transport(options)
  const provider = await discoverProvider(transport, { address, namedBy, signal, timeoutMs })
  const scope = scopesOf(signer).join(' ')
  // Auth0 issues opaque access tokens unless the request names an audience.
  const isAuth0 = guessProvider(provider.tokenEndpoint ?? '') === 'auth0'
  const audience = signer.targetToken === 'ACCESS' && isAuth0 ? signer.audience : undefined
  const parameters = { scope, ...(audience !== undefined && { audience }), ...options.parameters }
  return { transport, provider, clientId: signer.clientId, targetToken: signer.targetToken, parameters }
}

/** Adds `openid`: without it there is no ID token, and many providers refuse. */
function scopesOf({ scopes }: LoginSigner): string[] {
  const given = typeof scopes === 'string' ? scopes.split(' ').filter(Boolean) : (scopes ?? [])
  return given.includes(OPENID) ? [...given] : [OPENID, ...given]
}

/** Throws BAD_DISCOVERY when the provider does not name the endpoint. */
export function endpointOf(
  { provider }: LoginTarget,
  name: 'tokenEndpoint' | 'authorizationEndpoint' | 'deviceAuthorizationEndpoint',
): string {
  const endpoint = provider[name]
  if (endpoint !== undefined) return endpoint
  throw new CountersignError({ code: 'BAD_DISCOVERY', message: `${provider.issuer} names no ${name}` })
}
