/** A scripted provider, a controller with a signer for it, and a browser that logs in to the console there. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import type { Reply } from '../http/build-app.ts'
import { ALICE, setUpProvider } from '../http/provider.fixture.ts'
import { cookiesOf, HOST, makeConsole } from './console-app.fixture.ts'

type Members = Readonly<Record<string, unknown>>

export const CLIENT_ID = 'the-console'
const CODE = 'the-code'

/** A browser that was redirected to the provider. */
export interface StartedLogin {
  readonly url: URL
  /** The query of the authorization request. */
  readonly parameters: Readonly<Record<string, string>>
  /** The cookie that binds the login to the browser. */
  readonly cookie: string
  readonly setCookie: string
}

export async function setUpConsoleLogin(t: TestContext, settings: Readonly<Record<string, string>> = {}) {
  const set = await setUpProvider(t, { consoleFolder: makeConsole(t), settings })
  const { app, token } = set
  /** The provider's responses; a test changes them. */
  const script = {
    document: {} as Members,
    idToken: {} as Members,
    accessToken: {} as Members,
    tokenResponse: {} as Members,
    /** An invented code is answered when this resolves. */
    inventedAfter: undefined as Promise<unknown> | undefined,
    /** The HTTP status of its responses. */
    status: 200,
  }
  const forms: URLSearchParams[] = []
  const requests = { documents: 0 }
  let nonce = ''

  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (text: string) => {
      body += text
    })
    request.on('end', async () => {
      const isToken = request.url === '/token'
      if (isToken) {
        assert.equal(request.headers['content-type'], 'application/x-www-form-urlencoded')
        const form = new URLSearchParams(body)
        forms.push(form)
        if (form.get('code') !== CODE) await script.inventedAfter
      } else requests.documents++
      response.statusCode = script.status
      response.setHeader('content-type', 'application/json').end(JSON.stringify(isToken ? tokens() : document()))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close())
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  const document = () => ({
    issuer,
    authorization_endpoint: `${issuer}/auth?tenant=one`,
    token_endpoint: `${issuer}/token`,
    authorization_response_iss_parameter_supported: true,
    ...script.document,
  })
  const tokens = () => ({
    token_type: 'Bearer',
    id_token: token({ iss: issuer, aud: CLIENT_ID, nonce, ...script.idToken }),
    access_token: token({ iss: issuer, ...script.accessToken }),
    ...script.tokenResponse,
  })

  const login = { issuer, openIdConfigurationUrl: `${issuer}/.well-known/openid-configuration`, clientId: CLIENT_ID }
  const begin = (signerId: string, { query = '', headers = {} as Readonly<Record<string, string>> } = {}) =>
    app.call('GET', `/console/login/${signerId}${query}`, undefined, { headers: { host: HOST, ...headers } })

  /** A reply that sends the browser to the provider, which records the request. */
  const readStart = (reply: Reply): StartedLogin => {
    assert.equal(reply.status, 303, reply.text)
    const url = new URL(reply.headers.location ?? '')
    assert.equal(url.origin, issuer, url.href)
    const parameters = Object.fromEntries(url.searchParams)
    nonce = parameters.nonce ?? ''
    const [setCookie = ''] = cookiesOf(reply)
    return { url, parameters, cookie: setCookie.split(';', 1)[0] ?? '', setCookie }
  }

  return {
    ...set,
    issuer,
    script,
    /** The requests to its token endpoint. */
    forms,
    /** The number of fetches of its discovery document. */
    requests,
    createLoginSigner: (members: Members = {}) =>
      set.createSigner({ ...login, scopes: ['openid', 'email'], ...members }),
    begin,
    readStart,
    startLogin: async (signerId: string, options: Parameters<typeof begin>[1] = {}): Promise<StartedLogin> =>
      readStart(await begin(signerId, options)),
    /** Returns from the provider, with these members of the query in place of the correct ones; undefined omits one. */
    finishLogin: (
      { parameters, cookie }: Pick<StartedLogin, 'parameters' | 'cookie'>,
      members: Readonly<Record<string, string | undefined>> = {},
      from: Readonly<Record<string, string>> = {},
    ) => {
      const query = new URLSearchParams()
      const all = { code: CODE, state: parameters.state, iss: issuer, ...members }
      for (const [name, value] of Object.entries(all)) if (value !== undefined) query.set(name, value)
      const headers = { host: HOST, cookie, 'sec-fetch-site': 'cross-site', ...from }
      const { pathname } = new URL(parameters.redirect_uri ?? '')
      return app.call('GET', `${pathname}?${query}`, undefined, { headers })
    },
  }
}

export type ConsoleLogin = Awaited<ReturnType<typeof setUpConsoleLogin>>

export const challengeOf = (verifier: string): string => createHash('sha256').update(verifier).digest('base64url')

export { ALICE }
