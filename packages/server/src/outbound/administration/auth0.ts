import { administrationAddress } from '@countersign/core'
import { OutboundError } from '../outbound-error.ts'
import { type AdministrationRequest, objectsIn, type SendAdministration, textAt } from './administration-request.ts'
import { missing, passed, probe } from './checks.ts'
import { type AdministrationToken, fetchAdministrationToken, testWithToken } from './client-credentials.ts'
import {
  type AdministeredProvider,
  clientNameOf,
  type ProviderAdministration,
  scopesOf,
} from './provider-administration.ts'

const CLIENTS_PER_PAGE = 100
/** Auth0 returns the first 1,000 clients by page. */
const MAX_PAGES = 10
const NOT_FOUND = 404
const CONFLICT = 409

/** The scopes of the Management API that the administration needs. */
export const AUTH0_SCOPES = [
  ...['read:clients', 'create:clients', 'delete:clients'],
  ...['read:client_grants', 'create:client_grants', 'delete:client_grants'],
] as const

/** The Management API of Auth0. A client has one secret, so a rotation creates another client. */
export function createAuth0Administration(send: SendAdministration): ProviderAdministration {
  const fetchToken = (provider: AdministeredProvider): Promise<AdministrationToken> =>
    fetchAdministrationToken(send, provider, {
      url: `${administrationAddress(provider)}/oauth/token`,
      parameters: { audience: managementAudience(provider) },
      isJson: true,
    })

  const call = (
    provider: AdministeredProvider,
    { bearer }: AdministrationToken,
    path: string,
    request: AdministrationRequest,
  ) => send(provider, `${administrationAddress(provider)}/api/v2${path}`, { ...request, bearer })

  /** Without a grant for the audience, the client gets no tokens for it. */
  const grant = async (provider: AdministeredProvider, token: AdministrationToken, clientId: string) => {
    const json = { client_id: clientId, audience: provider.audience ?? '', scope: scopesOf(provider) }
    await call(provider, token, '/client-grants', { method: 'POST', statuses: [201, CONFLICT], json })
  }

  return {
    create: async (provider, name) => {
      const token = await fetchToken(provider)
      const { body } = await call(provider, token, '/clients', {
        method: 'POST',
        statuses: [201],
        json: {
          name: clientNameOf({ ...name, name: name.name.replace(/[<>]/g, '_') }),
          app_type: 'non_interactive',
          grant_types: ['client_credentials'],
          token_endpoint_auth_method: 'client_secret_post',
          oidc_conformant: true,
          client_metadata: { countersign: name.marker },
        },
      })
      const clientId = textAt(body, 'client_id')
      await grant(provider, token, clientId)
      return { clientId, clientSecret: textAt(body, 'client_secret'), handle: clientId, token: null }
    },

    setEnabled: async (provider, { clientId }, isEnabled) => {
      const token = await fetchToken(provider)
      if (isEnabled) return grant(provider, token, clientId)
      const query = `?client_id=${encodeURIComponent(clientId)}`
      const { body } = await call(provider, token, `/client-grants${query}`, { method: 'GET', statuses: [200] })
      for (const one of objectsIn(body)) {
        const path = `/client-grants/${encodeURIComponent(textAt(one, 'id'))}`
        await call(provider, token, path, { method: 'DELETE', statuses: [204, NOT_FOUND] })
      }
    },

    remove: async (provider, { clientId }) => {
      const token = await fetchToken(provider)
      const path = `/clients/${encodeURIComponent(clientId)}`
      await call(provider, token, path, { method: 'DELETE', statuses: [204, NOT_FOUND] })
    },

    findLost: async (provider, { marker }) => {
      const token = await fetchToken(provider)
      for (let page = 0; page < MAX_PAGES; page++) {
        const query = `?fields=client_id,client_metadata&include_fields=true&per_page=${CLIENTS_PER_PAGE}&page=${page}`
        const { body } = await call(provider, token, `/clients${query}`, { method: 'GET', statuses: [200] })
        const clients = objectsIn(body)
        const found = clients.filter(({ client_metadata: metadata }) => {
          return typeof metadata === 'object' && metadata !== null && 'countersign' in metadata
            ? metadata.countersign === marker
            : false
        })
        if (found.length > 0 || clients.length < CLIENTS_PER_PAGE) {
          return found
            .map((client) => textAt(client, 'client_id'))
            .map((clientId) => ({ clientId, handle: clientId, token: null }))
        }
      }
      throw new OutboundError('content', 'the tenant has too many clients to find one by its metadata')
    },

    test: (provider) =>
      testWithToken(
        () => fetchToken(provider),
        async (token) => {
          const granted = String(token.response.scope ?? '').split(' ')
          const scopes = AUTH0_SCOPES.map((scope) =>
            granted.includes(scope) ? passed(scope) : missing(scope, `${scope} (a scope of the Management API)`),
          )
          const read = await probe({
            name: 'read the clients of the tenant',
            permission: 'read:clients',
            run: () =>
              call(provider, token, '/clients?fields=client_id&include_fields=true&per_page=1', {
                method: 'GET',
                statuses: [200],
              }),
          })
          return [...scopes, read]
        },
      ),
  }
}

function managementAudience(provider: AdministeredProvider): string {
  return provider.administration.managementAudience ?? `${administrationAddress(provider)}/api/v2/`
}
