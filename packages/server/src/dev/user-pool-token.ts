import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { IsMachine } from './machine-clients.ts'
import { TOKEN_SECONDS } from './provider-addresses.ts'
import { type ProviderResponse, readForm } from './provider-http.ts'

interface TokenParts {
  readonly issuer: string
  readonly isMachine: IsMachine
  readonly sign: (claims: Readonly<Record<string, unknown>>) => string
}

const MAX_SCOPE_LENGTH = 2048
const refuse = (error: string): ProviderResponse => ({ status: 400, json: { error } })

/**
 * Token endpoint for client credentials, like a cloud user pool: HTTP Basic, form-encoded, any scope or none. The token has no `aud` and
 * contains the requested scope. A refusal is 400 with only `error`.
 */
export function createUserPoolToken({ issuer, isMachine, sign }: TokenParts) {
  return async (request: IncomingMessage): Promise<ProviderResponse> => {
    const form = await readForm(request, { json: false })
    if ('error' in form) return refuse('invalid_request')
    const { members } = form
    const [clientId, secret] = readBasic(request.headers.authorization)
    if (!clientId || !isMachine(clientId, secret)) return refuse('invalid_client')
    if (!members.has('grant_type')) return refuse('invalid_request')
    if (members.get('grant_type') !== 'client_credentials') return refuse('unsupported_grant_type')
    const scope = members.get('scope') ?? ''
    if (scope.length > MAX_SCOPE_LENGTH) return refuse('invalid_scope')
    const now = Math.floor(Date.now() / 1000)
    const token = sign({
      sub: clientId,
      token_use: 'access',
      ...(scope !== '' && { scope }),
      auth_time: now,
      iss: issuer,
      exp: now + TOKEN_SECONDS,
      iat: now,
      version: 2,
      jti: randomUUID(),
      client_id: clientId,
    })
    return { status: 200, json: { access_token: token, expires_in: TOKEN_SECONDS, token_type: 'Bearer' } }
  }
}

function readBasic(header = ''): readonly [clientId: string | undefined, secret: string | undefined] {
  const [scheme = '', value = ''] = header.split(' ', 2)
  if (scheme.toLowerCase() !== 'basic') return [undefined, undefined]
  const pair = Buffer.from(value, 'base64').toString('utf8')
  const colon = pair.indexOf(':')
  return colon < 0 ? [pair, undefined] : [pair.slice(0, colon), pair.slice(colon + 1)]
}
