import { escapeHtml } from '@countersign/core'
import type { AdapterFactory, Client, Configuration, KoaContextWithOIDC } from 'oidc-provider'
import { newClientId, newClientSecret } from './client-secret.ts'
import { isLoopbackUrl } from './loopback.ts'
import { findPerson, personClaims } from './people.ts'
import { HOSTED_AUDIENCE, PUBLIC_CLIENT_ID, SIGNER_AUDIENCE, TOKEN_SECONDS } from './provider-addresses.ts'
import type { ProviderResponse } from './provider-http.ts'
import { providerPage } from './provider-page.ts'
import type { ProviderStateFile } from './provider-state.ts'
import { MACHINE_SCOPES, PERSON_SCOPES, RESOURCES } from './resources.ts'

const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code'
const DAY = 86_400

interface ConfigurationParts {
  readonly state: ProviderStateFile
  readonly adapter: AdapterFactory
  readonly invalidTarget: () => Error
}

/** Configures `oidc-provider`: code flow with PKCE and device flow for people, client credentials for machines. */
export function buildOidcConfiguration({ state, adapter, invalidTarget }: ConfigurationParts): Configuration {
  const { cookieKey, registrationToken, keys } = state.current()
  return {
    adapter,
    jwks: { keys: keys.flat().map((key) => ({ ...key }) as never) },
    clients: [
      {
        client_id: PUBLIC_CLIENT_ID,
        client_name: 'Countersign',
        application_type: 'native',
        token_endpoint_auth_method: 'none',
        grant_types: ['authorization_code', DEVICE_GRANT],
        response_types: ['code'],
        redirect_uris: ['http://127.0.0.1/auth/callback'],
      },
    ],
    cookies: {
      keys: [cookieKey],
      // Cookies are shared by all ports of a host: distinct names avoid conflicts with other programs.
      names: { session: 'countersign_idp', interaction: 'countersign_idp_sign_in', resume: 'countersign_idp_resume' },
    },
    claims: {
      openid: ['sub'],
      profile: ['name', 'preferred_username'],
      email: ['email', 'email_verified'],
      groups: ['groups'],
    },
    scopes: [...PERSON_SCOPES.split(' '), MACHINE_SCOPES],
    // ID tokens contain the user's claims, as those of most providers do.
    conformIdTokenClaims: false,
    // `/dev/logout` logs a person out of every session: tokens and logout tokens have no `sid`.
    discovery: { backchannel_logout_supported: true, backchannel_logout_session_supported: false },
    responseTypes: ['code'],
    // Secrets are stored as digests, so client_secret_jwt is not possible.
    clientAuthMethods: ['client_secret_basic', 'client_secret_post', 'none'],
    pkce: { required: () => true },
    clientBasedCORS: (_, origin) => isLoopbackUrl(origin),
    findAccount: async (_, id) => {
      const person = findPerson(id)
      return person && { accountId: id, claims: async () => ({ sub: id, ...personClaims(person) }) }
    },
    extraTokenClaims: async (_, token) => {
      const person = 'accountId' in token ? findPerson(token.accountId) : undefined
      return person ? personClaims(person) : { azp: token.clientId }
    },
    loadExistingGrant: grantEverything,
    interactions: { url: (_, { uid }) => `/interaction/${uid}` },
    renderError: (ctx, { error, error_description: description }) => {
      const body = `<p>${escapeHtml(String(description ?? error))}</p>`
      show(ctx, providerPage({ title: 'Login failed', body, status: ctx.status }))
    },
    ttl: {
      AccessToken: TOKEN_SECONDS,
      AuthorizationCode: 60,
      ClientCredentials: TOKEN_SECONDS,
      DeviceCode: 600,
      Grant: DAY,
      IdToken: TOKEN_SECONDS,
      Interaction: 3600,
      Session: DAY,
    },
    features: {
      devInteractions: { enabled: false },
      rpInitiatedLogout: { enabled: false },
      dPoP: { enabled: true },
      pushedAuthorizationRequests: { enabled: false },
      clientCredentials: { enabled: true },
      registration: {
        enabled: true,
        initialAccessToken: registrationToken,
        idFactory: newClientId,
        secretFactory: newClientSecret,
      },
      registrationManagement: { enabled: true, rotateRegistrationAccessToken: false },
      resourceIndicators: {
        enabled: true,
        defaultResource: (_, client) => (isMachine(client) ? HOSTED_AUDIENCE : SIGNER_AUDIENCE),
        useGrantedResource: () => true,
        getResourceServerInfo: (_, resource) => {
          const found = Object.hasOwn(RESOURCES, resource) ? RESOURCES[resource] : undefined
          if (!found) throw invalidTarget()
          return found
        },
      },
      deviceFlow: {
        enabled: true,
        userCodeInputSource: (ctx, form, _, error) => {
          if (error?.name === 'AbortedError') {
            return show(ctx, providerPage({ title: 'Login cancelled', body: '<p>You can close this page.</p>' }))
          }
          const wrong = error === undefined || error === null ? '' : '<p>The code is wrong or has expired.</p>'
          const button = '<button type="submit" form="op.deviceInputForm">Continue</button>'
          show(ctx, providerPage({ title: 'Enter the code', body: `${wrong}${form}${button}` }))
        },
        userCodeConfirmSource: (ctx, form, client, _, userCode) => {
          const buttons =
            '<button type="submit" form="op.deviceConfirmForm" autofocus>Yes, continue</button>' +
            '<button type="submit" form="op.deviceConfirmForm" name="abort" value="yes">No</button>'
          const body = `<p>${escapeHtml(client.clientName ?? client.clientId)} shows this code:</p><code>${escapeHtml(userCode)}</code>${form}${buttons}`
          show(ctx, providerPage({ title: 'Is it the same code?', body }))
        },
        successSource: (ctx) => show(ctx, providerPage({ title: 'Done', body: '<p>You can close this page.</p>' })),
      },
    },
  }
}

function isMachine(client: Client): boolean {
  return client.grantTypeAllowed('client_credentials')
}

/** Grants all scopes without a consent page: this provider is for development only. */
async function grantEverything(ctx: KoaContextWithOIDC) {
  const { client, session, provider, params } = ctx.oidc
  if (!client || !session?.accountId) return undefined
  const grant = new provider.Grant({ clientId: client.clientId, accountId: session.accountId })
  grant.addOIDCScope(String(params?.scope ?? ''))
  grant.addResourceScope(SIGNER_AUDIENCE, PERSON_SCOPES)
  await grant.save()
  return grant
}

function show(ctx: KoaContextWithOIDC, { status, html, headers = {} }: ProviderResponse): void {
  ctx.status = status
  ctx.type = 'html'
  ctx.set({ ...headers })
  ctx.body = html ?? ''
}
