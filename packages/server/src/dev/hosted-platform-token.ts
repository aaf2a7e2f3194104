import type { IncomingMessage } from 'node:http'
import type { IsMachine } from './machine-clients.ts'
import { TOKEN_SECONDS } from './provider-addresses.ts'
import { type ProviderResponse, readForm } from './provider-http.ts'

interface TokenParts {
  readonly issuer: string
  readonly isMachine: IsMachine
  readonly sign: (claims: Readonly<Record<string, unknown>>) => string
  /** Base URLs of the API with a trailing slash. A token contains all of them as audience. */
  readonly audiences: () => readonly string[]
}

function refuse(status: number, error: string, description: string): ProviderResponse {
  return { status, json: { error, error_description: description } }
}

/**
 * Token endpoint for client credentials, like a hosted identity platform: all parameters in the body, JSON or form-encoded, with a known
 * audience. A wrong secret is 401 `access_denied`, an unknown audience 403.
 */
export function createHostedPlatformToken({ issuer, isMachine, sign, audiences }: TokenParts) {
  return async (request: IncomingMessage): Promise<ProviderResponse> => {
    const form = await readForm(request, { json: true })
    if ('error' in form) return refuse(400, 'invalid_request', form.error)
    const member = (name: string): string => form.members.get(name) ?? ''
    const grant = member('grant_type')
    if (grant === '') return refuse(400, 'invalid_request', 'Missing required parameter: grant_type')
    const clientId = member('client_id')
    if (!isMachine(clientId, member('client_secret'))) return refuse(401, 'access_denied', 'Unauthorized')
    if (grant !== 'client_credentials') {
      return refuse(403, 'unauthorized_client', 'The grant type is not allowed for the client')
    }
    const wanted = member('audience')
    const served = audiences()
    if (!served.includes(wanted)) {
      return refuse(403, 'access_denied', `Service not enabled within domain: ${wanted || '(no audience)'}`)
    }
    const now = Math.floor(Date.now() / 1000)
    const token = sign({
      iss: issuer,
      sub: `${clientId}@clients`,
      aud: served.length === 1 ? wanted : served,
      iat: now,
      exp: now + TOKEN_SECONDS,
      gty: 'client-credentials',
      azp: clientId,
    })
    return { status: 200, json: { access_token: token, expires_in: TOKEN_SECONDS, token_type: 'Bearer' } }
  }
}
