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

/** Creates `oidc-provider` with the current keys. Only this file imports it, because loading it takes longer than the rest of the start. */
export async function loadOidcProvider({ issuer, state, adapter, log }: OidcProviderParts): Promise<Provider> {
  const { default: OidcProvider, errors } = await import('oidc-provider')
  const invalidTarget = () => new errors.InvalidTarget('the resource is unknown')
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
    // After the registration only a digest of the secret is stored: do not return it.
    const { body } = ctx
    const isManaged = ctx.method !== 'POST' && ctx.path.startsWith('/reg/')
    if (isManaged && body !== null && typeof body === 'object') delete (body as Record<string, unknown>).client_secret
  })
  provider.on('server_error', (_, error) => log.error({ err: error }, 'the local identity provider failed'))
  return provider
}
