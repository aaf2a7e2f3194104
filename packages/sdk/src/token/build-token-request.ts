import { CountersignError } from '../countersign-error.ts'
import type { Credentials } from '../credentials/credentials.ts'
import { parseBaseAddress, parseSafeAddress } from '../http/safe-address.ts'
import type { CallOptions, Transport } from '../http/transport.ts'
import { toBase64 } from './base64.ts'
import { type ClientKey, signClientAssertion } from './client-assertion.ts'
import { discoverProvider, type ProviderDocument } from './discover-provider.ts'
import type { ProviderName } from './provider-name.ts'

/** Overrides for what the credentials do not specify. */
export interface TokenRequestOptions {
  /** The provider, when it cannot be guessed from the address. */
  readonly provider?: ProviderName | undefined
  /** The base address of the hosted API: the audience of Auth0 tokens. */
  readonly hostedUrl?: string | undefined
  /** The audience. Default for Auth0: `hostedUrl`. */
  readonly audience?: string | undefined
  readonly scope?: string | undefined
  /** The issuer of an enterprise provider, whose discovery document names the token endpoint. */
  readonly issuer?: string | undefined
  /** Where an enterprise provider expects the client id and password. */
  readonly clientAuthentication?: 'basic' | 'body' | undefined
  /** Authenticates the client instead of the password. */
  readonly clientKey?: ClientKey | undefined
}

export interface TokenRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export interface TokenRequestInput extends Omit<TokenRequestOptions, 'provider'>, CallOptions {
  readonly provider: ProviderName
  /** The discovery document by which the provider was recognised. */
  readonly document?: ProviderDocument | undefined
  readonly credentials: Credentials
  readonly transport: Transport
  readonly now: number
}

const GRANT = 'client_credentials'
const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'
const FORM = { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' }
const JSON_BODY = { 'content-type': 'application/json', accept: 'application/json' }

/** Builds the client credentials request in the form that the provider expects. */
export function buildTokenRequest(input: TokenRequestInput): Promise<TokenRequest> | TokenRequest {
  return BUILDERS[input.provider](input)
}

/** Basic and a form, to the address unchanged. */
function buildCognitoRequest({ credentials, ...options }: TokenRequestInput): TokenRequest {
  const scope = options.scope ?? credentials.scope
  return {
    url: options.document?.tokenEndpoint ?? parseSafeAddress(credentials.authenticationUrl, 'authenticationUrl').href,
    // Cognito does not form-decode the pair, unlike RFC 6749 (2.3.1).
    headers: { ...FORM, authorization: `Basic ${toBase64(`${credentials.clientId}:${passwordOf(credentials)}`)}` },
    body: new URLSearchParams({ grant_type: GRANT, ...(scope && { scope }) }).toString(),
  }
}

/** JSON with an audience. */
function buildAuth0Request({ credentials, ...options }: TokenRequestInput): TokenRequest {
  const url = parseSafeAddress(credentials.authenticationUrl, 'authenticationUrl')
  if (url.pathname === '/') url.pathname = '/oauth/token'
  const scope = options.scope ?? credentials.scope
  return {
    url: options.document?.tokenEndpoint ?? url.href,
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

/** The base address with exactly one trailing slash. */
function audienceOf(hostedUrl: string | undefined): string {
  if (hostedUrl !== undefined) return `${parseBaseAddress(hostedUrl, 'the address of the hosted API')}/`
  throw new CountersignError({
    code: 'BAD_CREDENTIALS',
    message: 'tokens of this provider need an audience',
    hint: 'set hostedUrl or audience',
  })
}

/** Uses the provider's discovery document, unless the address is a token endpoint. */
async function buildEnterpriseRequest(input: TokenRequestInput): Promise<TokenRequest> {
  const { credentials, clientKey, now, provider } = input
  const { url, methods } = await findTokenEndpoint(input)
  const scope = input.scope ?? credentials.scope
  const form = new URLSearchParams({
    grant_type: GRANT,
    ...(scope && { scope }),
    ...(input.audience && { audience: input.audience }),
  })
  if (clientKey) {
    form.set('client_id', credentials.clientId)
    form.set('client_assertion_type', ASSERTION_TYPE)
    const signed = { clientId: credentials.clientId, audience: url, now }
    form.set('client_assertion', await signClientAssertion(clientKey, signed))
    return { url, headers: FORM, body: form.toString() }
  }
  if ((input.clientAuthentication ?? defaultAuthentication(methods, provider)) === 'body') {
    form.set('client_id', credentials.clientId)
    form.set('client_secret', passwordOf(credentials))
    return { url, headers: FORM, body: form.toString() }
  }
  const pair = `${formEncode(credentials.clientId)}:${formEncode(passwordOf(credentials))}`
  return { url, headers: { ...FORM, authorization: `Basic ${toBase64(pair)}` }, body: form.toString() }
}

const BUILDERS: Readonly<Record<ProviderName, (input: TokenRequestInput) => Promise<TokenRequest> | TokenRequest>> = {
  cognito: buildCognitoRequest,
  auth0: buildAuth0Request,
  entra: buildEnterpriseRequest,
  okta: buildEnterpriseRequest,
  keycloak: buildEnterpriseRequest,
  oidc: buildEnterpriseRequest,
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
  ...input
}: TokenRequestInput): Promise<TokenEndpoint> {
  const url = parseSafeAddress(credentials.authenticationUrl, 'authenticationUrl')
  const issuer = input.issuer ?? credentials.issuer
  const { document: known } = input
  if (known?.tokenEndpoint !== undefined) return { url: known.tokenEndpoint, methods: known.authMethods }
  if (issuer === undefined && url.pathname.endsWith('/token')) return { url: url.href }
  const address = issuer ?? credentials.authenticationUrl
  const document = await discoverProvider(transport, { address, issuer, signal, timeoutMs })
  if (document.tokenEndpoint !== undefined) return { url: document.tokenEndpoint, methods: document.authMethods }
  throw new CountersignError({
    code: 'BAD_DISCOVERY',
    message: `the discovery document of ${address} names no token endpoint`,
  })
}

/** Every provider must support Basic (RFC 6749), unless its document says otherwise. Entra documents only the body. */
function defaultAuthentication(methods: readonly string[] | undefined, provider: ProviderName): 'basic' | 'body' {
  if (methods && !methods.includes('client_secret_basic') && methods.includes('client_secret_post')) return 'body'
  return provider === 'entra' ? 'body' : 'basic'
}

function formEncode(text: string): string {
  return new URLSearchParams({ '': text }).toString().slice(1)
}

function passwordOf({ password, source }: Credentials): string {
  if (password !== undefined) return password
  const message = `the credentials have no password (${source})`
  throw new CountersignError({ code: 'BAD_CREDENTIALS', message, hint: 'set password, or give a clientKey' })
}
