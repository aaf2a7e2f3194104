import { readClaims } from '../token/base64.ts'
import type { DpopKey } from './dpop-key.ts'

type Fetch = typeof globalThis.fetch

const FORM = 'application/x-www-form-urlencoded'
/** Auth0 takes the parameters of a token request as JSON. */
const JSON_TYPE = 'application/json'
const BEARER = /^bearer /i
const DPOP = /^dpop /i
const NONCE = 'dpop-nonce'

/** A request with the tokens that it proves possession for; undefined in the list stands for the request of a token. */
interface Proving {
  readonly url: string
  readonly method: string
  readonly headers: Headers
  readonly tokens: readonly (string | undefined)[]
}

/**
 * Creates a `fetch` that proves possession of `key` (DPoP, RFC 9449): for a session, for a token that is bound to the key, which it sends with the scheme `DPoP`, and for
 * requests to token endpoints, so that the provider binds its token. Repeats a request once with the nonce that the server asks for. Pass it as `fetch` to a client.
 */
export function createDpopFetch(key: DpopKey, fetch: Fetch = globalThis.fetch): Fetch {
  const nonces = new Map<string, string>()
  return async (input, init = {}) => {
    const proving = plan(input, init, key)
    if (!proving) return fetch(input, init)
    const { origin } = new URL(proving.url)
    const send = async (): Promise<Response> => {
      const nonce = nonces.get(origin)
      const { url, method, tokens } = proving
      const proofs = await Promise.all(tokens.map((token) => key.prove({ url, method, token, nonce })))
      proving.headers.set('dpop', proofs.join(', '))
      const response = await fetch(input, { ...init, headers: Object.fromEntries(proving.headers) })
      const fresh = response.headers.get(NONCE)
      if (fresh !== null) nonces.set(origin, fresh)
      return response
    }
    const response = await send()
    return (await asksForNonce(response)) && isRepeatable(init.body) ? send() : response
  }
}

function plan(input: Parameters<Fetch>[0], init: NonNullable<Parameters<Fetch>[1]>, key: DpopKey): Proving | undefined {
  const url = typeof input === 'string' ? input : input instanceof URL ? input.href : input.url
  const method = (init.method ?? 'GET').toUpperCase()
  const headers = new Headers(init.headers)
  const tokens: (string | undefined)[] = []
  const authorization = headers.get('authorization') ?? ''
  const token = authorization.replace(BEARER, '').replace(DPOP, '')
  if (DPOP.test(authorization) || (BEARER.test(authorization) && findBoundKey(token) === key.thumbprint)) {
    headers.set('authorization', `DPoP ${token}`)
    tokens.push(token)
  }
  const session = headers.get('zt-session')
  if (session !== null) tokens.push(session)
  if (tokens.length === 0 && method === 'POST' && isTokenRequest(headers, init.body)) tokens.push(undefined)
  return tokens.length === 0 ? undefined : { url, method, headers, tokens }
}

function isTokenRequest(headers: Headers, body: unknown): boolean {
  const type = headers.get('content-type') ?? ''
  if (body instanceof URLSearchParams || type.startsWith(FORM)) return true
  return type.startsWith(JSON_TYPE) && typeof body === 'string' && body.includes('"grant_type"')
}

/** The thumbprint of the key that a token is bound to; undefined for a bearer token. Unverified. */
export function findBoundKey(token: string): string | undefined {
  const jkt = (readClaims(token)?.cnf as { readonly jkt?: unknown } | undefined)?.jkt
  return typeof jkt === 'string' ? jkt : undefined
}

/** RFC 9449 sections 8 and 9: the error is in the challenge of a resource, or in the body of a token endpoint. */
async function asksForNonce(response: Response): Promise<boolean> {
  if (response.headers.get(NONCE) === null) return false
  if (response.status === 401) return (response.headers.get('www-authenticate') ?? '').includes('use_dpop_nonce')
  return response.status === 400 && (await response.clone().text()).includes('use_dpop_nonce')
}

function isRepeatable(body: unknown): boolean {
  return body === undefined || body === null || typeof body === 'string' || body instanceof URLSearchParams
}
