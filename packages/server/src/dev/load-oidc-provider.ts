import type { AdapterFactory, default as Provider } from 'oidc-provider'
import type { Logger } from 'pino'
import { isSecretOf } from './client-secret.ts'
import { isLoopbackUrl } from './loopback.ts'
import { buildOidcConfiguration } from './oidc-configuration.ts'
import { PUBLIC_CLIENT_ID } from './provider-addresses.ts'
import type { ProviderStateFile } from './provider-state.ts'

interface OidcProviderParts {
  readonly issuer: string
  readonly state: ProviderStateFile
  readonly adapter: AdapterFactory
  readonly log: Logger
}

/** Makes `oidc-provider` for the keys of now. It is loaded here and nowhere else: that takes longer than all the rest. */
export async function loadOidcProvider({ issuer, state, adapter, log }: OidcProviderParts): Promise<Provider> {
  const { default: OidcProvider, errors } = await import('oidc-provider')
  const invalidTarget = () => new errors.InvalidTarget('the resource is not known here')
  const provider = new OidcProvider(issuer, buildOidcConfiguration({ state, adapter, invalidTarget }))
  const { prototype } = provider.Client
  const isRegistered = prototype.redirectUriAllowed
  prototype.redirectUriAllowed = function (uri) {
    return isRegistered.call(this, uri) || (this.clientId === PUBLIC_CLIENT_ID && isLoopbackUrl(uri))
  }
  prototype.compareClientSecret = function (secret) {
    return isSecretOf(this.clientSecret, secret)
  }
  provider.use(async (ctx, next) => {
    await next()
    // Only a digest is left of the secret after the registration.
    const { body } = ctx
    const isManaged = ctx.method !== 'POST' && ctx.path.startsWith('/reg/')
    if (isManaged && body !== null && typeof body === 'object') delete (body as Record<string, unknown>).client_secret
  })
  provider.on('server_error', (_, error) => log.error({ err: error }, 'the local identity provider failed'))
  return provider
}
