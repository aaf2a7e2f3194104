import { CountersignError } from '../countersign-error.ts'
import { type CallOptions, Transport, type TransportOptions } from '../http/transport.ts'
import { discoverProvider, type ProviderDocument } from '../token/discover-provider.ts'
import { guessProvider } from '../token/provider-name.ts'
import type { ClientSigner } from '../wire-types.ts'

/** What a login needs to know of a signer; the client view of one has it all. */
export type LoginSigner = Pick<ClientSigner, 'clientId' | 'scopes' | 'targetToken'> &
  Partial<Pick<ClientSigner, 'name' | 'audience' | 'openIdConfigurationUrl' | 'externalAuthUrl'>>

export interface LoginOptions extends CallOptions, TransportOptions {
  readonly signer: LoginSigner
  /** Further parameters of the request, for providers that want them. */
  readonly parameters?: Readonly<Record<string, string>> | undefined
}

/** Where and as whom to log in. */
export interface LoginTarget {
  readonly transport: Transport
  readonly provider: ProviderDocument
  readonly clientId: string
  readonly targetToken: 'ACCESS' | 'ID'
  /** `scope`, and whatever else the request carries in every kind of login. */
  readonly parameters: Readonly<Record<string, string>>
}

const OPENID = 'openid'

/** Reads the provider's document. Throws BAD_DISCOVERY, also for a signer that does not say where to log in. */
export async function findLoginTarget(options: LoginOptions): Promise<LoginTarget> {
  const { signer, signal, timeoutMs } = options
  const address = signer.openIdConfigurationUrl || signer.externalAuthUrl
  if (!address || !signer.clientId) {
    throw new CountersignError({
      code: 'BAD_DISCOVERY',
      message: `the signer ${signer.name ?? ''} does not say where to log in`,
      hint: 'its openIdConfigurationUrl (or externalAuthUrl) and clientId must be set',
    })
  }
  const transport = new Transport(options)
  const provider = await discoverProvider(transport, { address, signal, timeoutMs })
  const scope = scopesOf(signer).join(' ')
  // This platform gives tokens that nobody can read, unless they are asked for by audience.
  const isPlatform = guessProvider(provider.tokenEndpoint ?? '') === 'auth0'
  const audience = signer.targetToken === 'ACCESS' && isPlatform ? signer.audience : undefined
  const parameters = { scope, ...(audience !== undefined && { audience }), ...options.parameters }
  return { transport, provider, clientId: signer.clientId, targetToken: signer.targetToken, parameters }
}

/** Without `openid` there is no ID token, and many providers refuse. */
function scopesOf({ scopes }: LoginSigner): string[] {
  const given = typeof scopes === 'string' ? scopes.split(' ').filter(Boolean) : (scopes ?? [])
  return given.includes(OPENID) ? [...given] : [OPENID, ...given]
}

/** The endpoint that this login needs. */
export function endpointOf(
  { provider }: LoginTarget,
  name: 'tokenEndpoint' | 'authorizationEndpoint' | 'deviceAuthorizationEndpoint',
): string {
  const endpoint = provider[name]
  if (endpoint !== undefined) return endpoint
  throw new CountersignError({ code: 'BAD_DISCOVERY', message: `${provider.issuer} names no ${name}` })
}
