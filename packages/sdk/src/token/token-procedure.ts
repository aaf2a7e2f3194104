import { CountersignError } from '../countersign-error.ts'
import type { Credentials } from '../credentials/credentials.ts'
import { parseBaseAddress, parseSafeAddress } from '../http/safe-address.ts'
import type { CallOptions, Transport } from '../http/transport.ts'
import { toBase64 } from './base64.ts'
import { type ClientKey, signClientAssertion } from './client-assertion.ts'
import { discoverProvider } from './discover-provider.ts'
import type { ProviderName } from './provider-name.ts'

/** How to ask for a token, where the credentials alone do not say it. */
export interface TokenRequestOptions {
  /** The provider, where its address does not tell. */
  readonly provider?: ProviderName | undefined
  /** The base address of the hosted API: what tokens of a hosted identity platform are for. */
  readonly hostedUrl?: string | undefined
  /** What the token is for, in place of the base address of the hosted API. */
  readonly audience?: string | undefined
  readonly scope?: string | undefined
  /** The issuer of an enterprise provider, whose document names the token endpoint. */
  readonly issuer?: string | undefined
  /** Where the client's id and password go, if an enterprise provider is particular about it. */
  readonly clientAuthentication?: 'basic' | 'body' | undefined
  /** A key in place of the password. */
  readonly clientKey?: ClientKey | undefined
}

/** A token request, ready to be sent. */
export interface TokenRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export interface TokenAsk extends TokenRequestOptions, CallOptions {
  readonly credentials: Credentials
  readonly transport: Transport
  readonly now: number
}

const GRANT = 'client_credentials'
const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'
const FORM = { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' }
const JSON_BODY = { 'content-type': 'application/json', accept: 'application/json' }

/** The token request that this provider understands. */
export function buildTokenRequest(ask: TokenAsk): Promise<TokenRequest> | TokenRequest {
  return PROCEDURES[ask.provider ?? ask.credentials.provider](ask)
}

/** A cloud user pool: Basic and a form, sent to the address as it stands. */
function askUserPool({ credentials, ...options }: TokenAsk): TokenRequest {
  const scope = options.scope ?? credentials.scope
  return {
    url: parseSafeAddress(credentials.authenticationUrl, 'authenticationUrl').href,
    // User pools compare the pair as it is, without the form encoding that others expect.
    headers: { ...FORM, authorization: `Basic ${toBase64(`${credentials.clientId}:${passwordOf(credentials)}`)}` },
    body: new URLSearchParams({ grant_type: GRANT, ...(scope && { scope }) }).toString(),
  }
}

/** A hosted identity platform: JSON, with the API that the token is for. */
function askHostedPlatform({ credentials, ...options }: TokenAsk): TokenRequest {
  const url = parseSafeAddress(credentials.authenticationUrl, 'authenticationUrl')
  if (url.pathname === '/') url.pathname = '/oauth/token'
  const scope = options.scope ?? credentials.scope
  return {
    url: url.href,
    headers: JSON_BODY,
    body: JSON.stringify({
      client_id: credentials.clientId,
      client_secret: passwordOf(credentials),
      audience: options.audience ?? audienceOf(options.hostedUrl),
      grant_type: GRANT,
      ...(scope && { scope }),
    }),
  }
}

/** The base address with exactly one slash at its end. */
function audienceOf(hostedUrl: string | undefined): string {
  if (hostedUrl !== undefined) return `${parseBaseAddress(hostedUrl, 'the address of the hosted API')}/`
  throw new CountersignError({
    code: 'BAD_CREDENTIALS',
    message: 'tokens of this provider are for one API, and its address is not given',
    hint: 'give hostedUrl or audience',
  })
}

/** An enterprise provider: its document says where and how, unless the address is that of a token endpoint already. */
async function askEnterprise(ask: TokenAsk): Promise<TokenRequest> {
  const { credentials, clientKey, now } = ask
  const provider = ask.provider ?? credentials.provider
  const { url, methods } = await findTokenEndpoint(ask)
  const scope = ask.scope ?? credentials.scope
  const form = new URLSearchParams({
    grant_type: GRANT,
    ...(scope && { scope }),
    ...(ask.audience && { audience: ask.audience }),
  })
  if (clientKey) {
    form.set('client_id', credentials.clientId)
    form.set('client_assertion_type', ASSERTION_TYPE)
    const signed = { clientId: credentials.clientId, audience: url, now }
    form.set('client_assertion', await signClientAssertion(clientKey, signed))
    return { url, headers: FORM, body: form.toString() }
  }
  if ((ask.clientAuthentication ?? preferred(methods, provider)) === 'body') {
    form.set('client_id', credentials.clientId)
    form.set('client_secret', passwordOf(credentials))
    return { url, headers: FORM, body: form.toString() }
  }
  const pair = `${formEncode(credentials.clientId)}:${formEncode(passwordOf(credentials))}`
  return { url, headers: { ...FORM, authorization: `Basic ${toBase64(pair)}` }, body: form.toString() }
}

const PROCEDURES: Readonly<Record<ProviderName, (ask: TokenAsk) => Promise<TokenRequest> | TokenRequest>> = {
  cognito: askUserPool,
  auth0: askHostedPlatform,
  entra: askEnterprise,
  okta: askEnterprise,
  keycloak: askEnterprise,
  oidc: askEnterprise,
}

interface TokenEndpoint {
  readonly url: string
  readonly methods?: readonly string[] | undefined
}

async function findTokenEndpoint({
  credentials,
  transport,
  signal,
  timeoutMs,
  ...ask
}: TokenAsk): Promise<TokenEndpoint> {
  const url = parseSafeAddress(credentials.authenticationUrl, 'authenticationUrl')
  const issuer = ask.issuer ?? credentials.issuer
  if (issuer === undefined && url.pathname.endsWith('/token')) return { url: url.href }
  const address = issuer ?? credentials.authenticationUrl
  const document = await discoverProvider(transport, { address, issuer, signal, timeoutMs })
  if (document.tokenEndpoint !== undefined) return { url: document.tokenEndpoint, methods: document.authMethods }
  throw new CountersignError({ code: 'BAD_DISCOVERY', message: `the document of ${address} names no token endpoint` })
}

/** Basic is what every provider must take (RFC 6749), unless its document says otherwise or its own guide uses the body. */
function preferred(methods: readonly string[] | undefined, provider: ProviderName): 'basic' | 'body' {
  if (methods && !methods.includes('client_secret_basic') && methods.includes('client_secret_post')) return 'body'
  return provider === 'entra' ? 'body' : 'basic'
}

function formEncode(text: string): string {
  return new URLSearchParams({ '': text }).toString().slice(1)
}

function passwordOf({ password, source }: Credentials): string {
  if (password !== undefined) return password
  const message = `the credentials hold no password (${source})`
  throw new CountersignError({ code: 'BAD_CREDENTIALS', message, hint: 'fill in password, or give a clientKey' })
}
