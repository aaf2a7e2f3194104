import { administrationAddress, type JsonObject } from '@countersign/core'
import { objectAt, objectsIn, type SendAdministration, textAt } from './administration-request.ts'
import { probe } from './checks.ts'
import { type AdministrationToken, fetchAdministrationToken, testWithToken } from './client-credentials.ts'
import {
  type AdministeredClient,
  type AdministeredProvider,
  type ClientName,
  clientNameOf,
  type ProviderAdministration,
} from './provider-administration.ts'

const PERMISSION = 'manage-clients (a role of the client realm-management)'
const NOT_FOUND = 404
const CONFLICT = 409

/** The admin REST API of Keycloak. A client has one secret, so a rotation creates another client. */
export function createKeycloakAdministration(send: SendAdministration): ProviderAdministration {
  const fetchToken = (provider: AdministeredProvider): Promise<AdministrationToken> =>
    fetchAdministrationToken(send, provider, {
      url: `${administrationAddress(provider)}/realms/${realmOf(provider)}/protocol/openid-connect/token`,
      parameters: {},
    })

  const call = (
    provider: AdministeredProvider,
    { bearer }: AdministrationToken,
    path: string,
    request: Omit<Parameters<SendAdministration>[2], 'bearer'>,
  ) => {
    const url = `${administrationAddress(provider)}/admin/realms/${realmOf(provider)}/clients${path}`
    return send(provider, url, { ...request, bearer })
  }

  const find = async (provider: AdministeredProvider, token: AdministrationToken, clientId: string) => {
    const { body } = await call(provider, token, `?clientId=${encodeURIComponent(clientId)}`, {
      method: 'GET',
      statuses: [200],
    })
    return objectsIn(body).filter((client) => client.clientId === clientId)
  }

  return {
    create: async (provider, name) => {
      const token = await fetchToken(provider)
      const representation = clientRepresentation(provider, name)
      const { location } = await call(provider, token, '', { method: 'POST', statuses: [201], json: representation })
      const { clientId } = representation
      const handle = location?.split('/').at(-1) || textAt((await find(provider, token, clientId))[0] ?? null, 'id')
      const path = `/${encodeURIComponent(handle)}/client-secret`
      const { body } = await call(provider, token, path, { method: 'GET', statuses: [200] })
      return { clientId, clientSecret: textAt(body, 'value'), handle, token: null }
    },

    setEnabled: async (provider, client, isEnabled) => {
      const token = await fetchToken(provider)
      const path = pathOf(client)
      // A PUT without the other members would reset some of them.
      const { body } = await call(provider, token, path, { method: 'GET', statuses: [200] })
      const json = { ...objectAt(body), enabled: isEnabled }
      await call(provider, token, path, { method: 'PUT', statuses: [204], json })
    },

    remove: async (provider, client) => {
      const token = await fetchToken(provider)
      await call(provider, token, pathOf(client), { method: 'DELETE', statuses: [204, NOT_FOUND] })
    },

    findLost: async (provider, name) => {
      const token = await fetchToken(provider)
      const found = await find(provider, token, clientIdOf(name))
      return found.map((client) => ({ clientId: clientIdOf(name), handle: textAt(client, 'id'), token: null }))
    },

    test: (provider) =>
      testWithToken(
        () => fetchToken(provider),
        async (token) => [
          await probe({
            name: `read the clients of the realm ${provider.administration.realm}`,
            permission: PERMISSION,
            run: () => call(provider, token, '?first=0&max=1', { method: 'GET', statuses: [200] }),
          }),
          await probe({
            name: `create clients in the realm ${provider.administration.realm}`,
            permission: PERMISSION,
            // Its own client exists, so that nothing is created.
            run: () =>
              call(provider, token, '', {
                method: 'POST',
                statuses: [CONFLICT],
                json: { clientId: provider.administration.clientId },
              }),
          }),
        ],
      ),
  }
}

function realmOf({ administration }: AdministeredProvider): string {
  return encodeURIComponent(administration.realm ?? '')
}

function pathOf({ handle }: AdministeredClient): string {
  return `/${encodeURIComponent(handle ?? '')}`
}

function clientIdOf({ marker }: ClientName): string {
  return `countersign-${marker}`
}

/** A confidential client whose only grant is client credentials, with the audience of the record in its tokens. */
function clientRepresentation(
  { audience }: AdministeredProvider,
  name: ClientName,
): JsonObject & { readonly clientId: string } {
  const mapper = {
    name: 'audience',
    protocol: 'openid-connect',
    protocolMapper: 'oidc-audience-mapper',
    config: {
      'included.custom.audience': audience ?? '',
      'access.token.claim': 'true',
      'id.token.claim': 'false',
      'introspection.token.claim': 'true',
    },
  }
  return {
    clientId: clientIdOf(name),
    name: clientNameOf(name),
    protocol: 'openid-connect',
    enabled: true,
    publicClient: false,
    clientAuthenticatorType: 'client-secret',
    serviceAccountsEnabled: true,
    standardFlowEnabled: false,
    implicitFlowEnabled: false,
    directAccessGrantsEnabled: false,
    fullScopeAllowed: false,
    // With a refresh token, the token of a service account would have a session, which only users have.
    attributes: { 'client_credentials.use_refresh_token': 'false' },
    ...(audience !== null && { protocolMappers: [mapper] }),
  }
}
