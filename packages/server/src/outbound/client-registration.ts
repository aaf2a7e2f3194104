import { guessProviderProduct } from '@countersign/contract'
import type { FetchDocument, SentDocument } from './fetch-document.ts'
import { createFetchInTurn } from './fetch-in-turn.ts'
import { OutboundError } from './outbound-error.ts'
import { readJsonObject } from './read-json-object.ts'

/** A newly registered client. The secret is returned and not stored. */
export interface RegisteredClient {
  readonly clientId: string
  readonly clientSecret: string
  /** The client configuration endpoint and its token (RFC 7592); null when the provider offers none. */
  readonly registrationUri: string | null
  readonly registrationToken: string | null
}

/** Requests are made in the name of the provider's organization. */
export interface ClientRegistration {
  /** Registers a client for client credentials (RFC 7591). Rejects with `OutboundError`. */
  register(
    organizationId: string,
    registrationUrl: string,
    client: { readonly name: string; readonly initialToken: string | undefined; readonly scope: string | undefined },
    signal?: AbortSignal,
  ): Promise<RegisteredClient>
  /** Deletes the client (RFC 7592). Succeeds when it no longer exists. Rejects with `OutboundError`. */
  remove(
    organizationId: string,
    client: Pick<RegisteredClient, 'registrationUri' | 'registrationToken'>,
    signal?: AbortSignal,
  ): Promise<void>
}

const JSON_TYPE = 'application/json'
const MAX_LENGTH = 4096

export function createClientRegistration(
  fetchDocument: FetchDocument,
  fetchInTurn = createFetchInTurn(fetchDocument),
): ClientRegistration {
  return {
    register: async (organizationId, registrationUrl, { name, initialToken, scope }, signal) => {
      const { body } = await fetchInTurn(organizationId, registrationUrl, {
        ...(signal && { signal }),
        accept: JSON_TYPE,
        mediaTypes: [JSON_TYPE],
        statuses: [201, 200],
        send: {
          method: 'POST',
          ...authorizationOf(registrationUrl, initialToken),
          json: {
            client_name: name,
            grant_types: ['client_credentials'],
            response_types: [],
            redirect_uris: [],
            token_endpoint_auth_method: 'client_secret_basic',
            // Okta's type for machine clients. OpenID Connect defines only `native` and `web`, and strict providers refuse others.
            ...(isOkta(registrationUrl) && { application_type: 'service' }),
            ...(scope !== undefined && { scope }),
          },
        },
      })
      const client = readRegistration(body)
      return isOkta(registrationUrl) && client.registrationUri === null
        ? { ...client, registrationUri: oktaClientUrl(registrationUrl, client.clientId) }
        : client
    },
    remove: async (organizationId, { registrationUri, registrationToken }, signal) => {
      if (registrationUri === null || registrationToken === null) return
      try {
        // Not in turn with other requests, of which few may wait: it would not be tried at all, and the client would stay.
        await fetchDocument(registrationUri, {
          owner: organizationId,
          ...(signal && { signal }),
          accept: JSON_TYPE,
          mediaTypes: [JSON_TYPE],
          statuses: [204],
          send: { method: 'DELETE', ...authorizationOf(registrationUri, registrationToken) },
        })
      } catch (error) {
        // 401: the provider deletes the token together with the client (RFC 7592 section 2.3).
        if (!(error instanceof OutboundError) || (error.status !== 401 && error.status !== 404)) throw error
      }
    },
  }
}

const JWT = /^[\w-]+\.[\w-]+\.[\w-]+$/

/** Okta accepts its API tokens by a scheme of its own. Its access tokens are JWTs. */
function authorizationOf(url: string, token: string | undefined): Pick<SentDocument, 'bearer' | 'headers'> {
  const isApiToken = token !== undefined && isOkta(url) && !JWT.test(token)
  return isApiToken ? { headers: { authorization: `SSWS ${token}` } } : { bearer: token }
}

function isOkta(url: string): boolean {
  return guessProviderProduct(url) === 'okta'
}

/** The address of a client of Okta, which names none in its response: it is below the registration endpoint, and has the same tokens. */
function oktaClientUrl(registrationUrl: string, clientId: string): string {
  return `${registrationUrl}/${encodeURIComponent(clientId)}`
}

/** Whether a client has no token of its own, because that of the registration endpoint removes it. */
export function isRemovedByInitialToken(registrationUrl: string, registrationUri: string | null): boolean {
  return isOkta(registrationUrl) && registrationUri?.startsWith(`${registrationUrl}/`) === true
}

function readRegistration(body: Buffer): RegisteredClient {
  const document = readJsonObject(body)
  if (typeof document === 'string') throw unusable(`it ${document}`)
  const text = (name: string): string | null => {
    const value = document[name]
    return typeof value === 'string' && value !== '' && value.length <= MAX_LENGTH ? value : null
  }
  const clientId = text('client_id')
  const clientSecret = text('client_secret')
  if (clientId === null || clientSecret === null) throw unusable('it contains no "client_id" or no "client_secret"')
  return {
    clientId,
    clientSecret,
    registrationUri: text('registration_client_uri'),
    registrationToken: text('registration_access_token'),
  }
}

function unusable(why: string): OutboundError {
  return new OutboundError('content', `the provider's registration response cannot be used: ${why}`)
}
