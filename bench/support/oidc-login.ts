import { createHash, randomBytes } from 'node:crypto'
import { buildRequest } from './build-request.ts'
import type { LoadConnection } from './connection.ts'
import type { MeasuredServer } from './measured-server.ts'

const REDIRECT_URI = 'http://localhost:8080/auth/callback'
const FORM = 'application/x-www-form-urlencoded'

/** Logs in by JWT through the OpenID provider, as the Go SDK does: five requests on one connection. Returns the access token. */
export async function logInByOidc(connection: LoadConnection, { port }: MeasuredServer, jwt: string): Promise<string> {
  const host = `localhost:${port}`
  const verifier = randomBytes(32).toString('base64url')
  const query = new URLSearchParams({
    client_id: 'native',
    response_type: 'code',
    scope: 'openid offline_access',
    state: 's',
    nonce: 'n',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    redirect_uri: REDIRECT_URI,
    method: 'ext-jwt',
  })
  const follow = async (request: string): Promise<string> => {
    const { status, head } = await connection.send(request)
    const location = /location: (\S+)/i.exec(head())?.[1]
    if (status !== 302 || location === undefined) throw new Error(`a step of the login: ${status}`)
    return location
  }
  const page = await follow(buildRequest('GET', `/oidc/authorize?${query}`, { host }))
  await connection.send(buildRequest('GET', page, { host }))
  const id = page.slice(page.indexOf('=') + 1)
  const authorization = `Bearer ${jwt}`
  const credential = { host, authorization, 'content-type': FORM }
  const callback = await follow(buildRequest('POST', '/oidc/login/ext-jwt', credential, `id=${id}`))
  const target = await follow(buildRequest('GET', callback.slice(callback.indexOf('/oidc/')), { host }))
  const form = new URLSearchParams({
    grant_type: 'authorization_code',
    client_id: 'native',
    code: new URL(target).searchParams.get('code') ?? '',
    code_verifier: verifier,
    redirect_uri: REDIRECT_URI,
  })
  const reply = await connection.send(
    buildRequest('POST', '/oidc/oauth/token', { host, 'content-type': FORM }, `${form}`),
  )
  if (reply.status !== 200) throw new Error(`the token endpoint: ${reply.status} ${reply.body()}`)
  return JSON.parse(reply.body()).access_token
}
