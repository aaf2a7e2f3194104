import { setTimeout as wait } from 'node:timers/promises'
import { administrationAddress, isJsonObject, type JsonObject } from '@countersign/core'
import { OutboundError } from '../outbound-error.ts'
import {
  AdministrationError,
  type AdministrationRequest,
  type AdministrationResponse,
  objectAt,
  objectsIn,
  type SendAdministration,
  textAt,
} from './administration-request.ts'
import { missing, passed, probe } from './checks.ts'
import { type AdministrationToken, fetchAdministrationToken, testWithToken } from './client-credentials.ts'
import {
  type AdministeredClient,
  type AdministeredProvider,
  clientNameOf,
  type ProviderAdministration,
} from './provider-administration.ts'

const PERMISSION = 'Application.ReadWrite.OwnedBy'
/** Application permissions of Microsoft Graph that allow the same. */
const SUFFICIENT: readonly unknown[] = [PERMISSION, 'Application.ReadWrite.All']
const NOT_FOUND = 404
/** Of an application. Graph allows more, but rotations are not more frequent. */
const MAX_SECRETS = 10
const MAX_NAME_LENGTH = 256
/** A new application is not known to all of Graph at once. */
const RETRY_AFTER_MS = [500, 1_500, 3_000]

/** Applications of Microsoft Entra, by Graph. An application can have several secrets, so a rotation adds one. */
export function createEntraAdministration(
  send: SendAdministration,
  retryAfterMs: readonly number[] = RETRY_AFTER_MS,
): ProviderAdministration {
  const fetchToken = (provider: AdministeredProvider): Promise<AdministrationToken> => {
    const { tokenUrl } = provider
    if (tokenUrl === null) throw new OutboundError('content', 'the record has no tokenUrl')
    return fetchAdministrationToken(send, provider, {
      url: tokenUrl,
      parameters: { scope: `${graphOf(provider)}/.default` },
    })
  }

  const call = (
    provider: AdministeredProvider,
    { bearer }: AdministrationToken,
    path: string,
    request: AdministrationRequest,
  ) => send(provider, `${graphOf(provider)}/v1.0${path}`, { ...request, bearer })

  /** Repeats a request about an application that was created just before. */
  const callAboutNew = async (...args: Parameters<typeof call>): Promise<AdministrationResponse> => {
    for (const ms of retryAfterMs) {
      try {
        return await call(...args)
      } catch (error) {
        const isUnknown = error instanceof AdministrationError && (error.status === 400 || error.status === NOT_FOUND)
        if (!isUnknown) throw error
        await wait(ms)
      }
    }
    return call(...args)
  }

  /** Undefined when the application no longer exists. */
  const listPasswords = async (
    provider: AdministeredProvider,
    token: AdministrationToken,
    client: AdministeredClient,
  ): Promise<string[] | undefined> => {
    const path = `${pathOf(client)}?$select=passwordCredentials`
    const { status, body } = await call(provider, token, path, { method: 'GET', statuses: [200, NOT_FOUND] })
    if (status === NOT_FOUND) return undefined
    return objectsIn(objectAt(body).passwordCredentials).map((one) => textAt(one, 'keyId'))
  }

  const addPassword = {
    method: 'POST',
    statuses: [200],
    json: { passwordCredential: { displayName: 'Countersign' } },
  } as const

  return {
    create: async (provider, name) => {
      const token = await fetchToken(provider)
      const { body } = await call(provider, token, '/applications', {
        method: 'POST',
        statuses: [201],
        json: { displayName: displayNameOf(name), signInAudience: 'AzureADMyOrg' },
      })
      const [clientId, handle] = [textAt(body, 'appId'), textAt(body, 'id')]
      const principal = { method: 'POST', statuses: [201], json: { appId: clientId } } as const
      await callAboutNew(provider, token, '/servicePrincipals', principal)
      const added = await callAboutNew(provider, token, `/applications/${segment(handle)}/addPassword`, addPassword)
      return { clientId, clientSecret: textAt(added.body, 'secretText'), handle, token: null }
    },

    secrets: {
      most: MAX_SECRETS,
      list: async (provider, client) => {
        const token = await fetchToken(provider)
        return (await listPasswords(provider, token, client)) ?? []
      },
      add: async (provider, client) => {
        const token = await fetchToken(provider)
        const added = await call(provider, token, `${pathOf(client)}/addPassword`, addPassword)
        return { id: textAt(added.body, 'keyId'), secret: textAt(added.body, 'secretText') }
      },
      remove: async (provider, client, keyId) => {
        const token = await fetchToken(provider)
        if (!(await listPasswords(provider, token, client))?.includes(keyId)) return
        const request = { method: 'POST', statuses: [204, NOT_FOUND], json: { keyId } } as const
        await call(provider, token, `${pathOf(client)}/removePassword`, request)
      },
    },

    setEnabled: async (provider, { clientId }, isEnabled) => {
      const token = await fetchToken(provider)
      const path = `/servicePrincipals(appId='${segment(clientId)}')`
      await call(provider, token, path, { method: 'PATCH', statuses: [204], json: { accountEnabled: isEnabled } })
    },

    // The service principal is deleted with the application.
    remove: async (provider, client) => {
      const token = await fetchToken(provider)
      await call(provider, token, pathOf(client), { method: 'DELETE', statuses: [204, NOT_FOUND] })
    },

    findLost: async (provider, name) => {
      const token = await fetchToken(provider)
      const filter = `displayName eq '${displayNameOf(name).replaceAll("'", "''")}'`
      const query = `?$filter=${encodeURIComponent(filter)}&$select=id,appId`
      const { body } = await call(provider, token, `/applications${query}`, { method: 'GET', statuses: [200] })
      return objectsIn(objectAt(body).value).map(
        (one): AdministeredClient => ({ clientId: textAt(one, 'appId'), handle: textAt(one, 'id'), token: null }),
      )
    },

    test: (provider) =>
      testWithToken(
        () => fetchToken(provider),
        async (token) => {
          const roles = untrustedRoles(token.bearer)
          const isGranted = roles === undefined || roles.some((role) => SUFFICIENT.includes(role))
          const name = 'create and change applications'
          return [
            isGranted ? passed(name) : missing(name, `${PERMISSION} (an application permission, with admin consent)`),
            await probe({
              name: 'read applications',
              permission: PERMISSION,
              run: () => call(provider, token, '/applications?$top=1&$select=id', { method: 'GET', statuses: [200] }),
            }),
          ]
        },
      ),
  }
}

function graphOf(provider: AdministeredProvider): string {
  const address = administrationAddress(provider)
  if (address !== null) return address
  const reason = 'the issuer is none of Entra: set administration.url to the address of Microsoft Graph'
  throw new OutboundError('content', reason)
}

function displayNameOf(name: { readonly name: string; readonly marker: string }): string {
  const suffix = clientNameOf({ ...name, name: '' })
  return `${name.name.slice(0, MAX_NAME_LENGTH - suffix.length)}${suffix}`
}

function pathOf({ handle }: AdministeredClient): string {
  return `/applications/${segment(handle)}`
}

function segment(text: string | null): string {
  return encodeURIComponent(text ?? '')
}

/** The application permissions in a token of Graph, only to explain a failed test; undefined when it cannot be read. */
function untrustedRoles(token: string): readonly unknown[] | undefined {
  try {
    const claims: unknown = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
    if (!isJsonObject(claims as JsonObject)) return undefined
    const { roles = [] } = claims as JsonObject
    return Array.isArray(roles) ? roles : undefined
  } catch {
    return undefined
  }
}
