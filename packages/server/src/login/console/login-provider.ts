import { createHash } from 'node:crypto'
import { clientNetwork, createLruCache, isSafeLink, readJws } from '@countersign/core'
import { readIssuerDocument } from '../../outbound/discovery-document.ts'
import type { FetchDocument, FetchOptions } from '../../outbound/fetch-document.ts'
import { OutboundError } from '../../outbound/outbound-error.ts'
import { readJsonObject } from '../../outbound/read-json-object.ts'
import type { Clock } from '../../platform/clock.ts'
import { FairQueue } from '../../platform/fair-queue.ts'
import type { StoredSigner } from '../../store/signer-row.ts'
import { browserLoginOf } from '../../token/browser-login.ts'
import { ConsoleLoginError } from './console-login-error.ts'

/** The members of an identity provider's discovery document that a login needs. */
export interface LoginProvider {
  readonly issuer: string
  readonly clientId: string
  readonly authorizationEndpoint: string
  readonly tokenEndpoint: string
  /** Whether its authorization responses contain `iss` (RFC 9207). */
  readonly sendsIssuer: boolean
}

interface RedeemedCode {
  readonly code: string
  readonly verifier: string
  readonly nonce: string
  readonly redirectUri: string
  /** The address of the browser. */
  readonly clientAddress: string
}

interface LoginProvidersParts {
  readonly fetchDocument: FetchDocument
  readonly clock: Clock
}

/** A cached fetch of a discovery document, in progress or ended. */
interface CachedProvider {
  readonly provider: Promise<LoginProvider>
  since: number
  /** Infinite while the fetch is in progress. */
  forMs: number
}

const JSON_TYPE = 'application/json'
const PROVIDER_CACHED_MS = 300_000
/** Repeated logins must not send repeated requests to a provider that is down. */
const FAILURE_CACHED_MS = 5_000
const MAX_CACHED = 500
/** Codes sent to providers, by client network: anyone can invent codes, and providers may be slow. */
const REDEMPTIONS = { atOnce: 16, perKey: 4, maxWaiting: 100 }

/**
 * The identity providers of signers. Requests follow the rules for all outbound requests. Concurrent logins share one fetch of a discovery
 * document, which is cached for five minutes; a failure is cached for five seconds. A change of the signer drops both.
 */
export class LoginProviders {
  readonly #parts: LoginProvidersParts
  readonly #cache = createLruCache<string, CachedProvider>(MAX_CACHED)
  readonly #redemptions = new FairQueue(REDEMPTIONS)

  constructor(parts: LoginProvidersParts) {
    this.#parts = parts
  }

  /** Returns the provider of a signer. Throws ConsoleLoginError when it cannot be used for logins. */
  find(signer: StoredSigner): Promise<LoginProvider> {
    const name = `${signer.id} ${signer.revision}`
    const known = this.#cache.get(name)
    // Absolute, so that setting the clock back does not extend the time.
    if (known && Math.abs(this.#parts.clock.now() - known.since) < known.forMs) return known.provider
    const cached = this.#cached(this.#fetchProvider(signer))
    this.#cache.set(name, cached)
    return cached.provider
  }

  /**
   * Exchanges the provider's code for the token that the signer accepts. Throws ConsoleLoginError, or SERVER_TOO_MANY_REQUESTS when too many
   * codes from the client's network wait.
   */
  async redeem(
    signer: StoredSigner,
    provider: LoginProvider,
    { code, verifier, nonce, redirectUri, clientAddress }: RedeemedCode,
  ): Promise<string> {
    const form = {
      grant_type: 'authorization_code',
      code,
      redirect_uri: redirectUri,
      client_id: provider.clientId,
      code_verifier: verifier,
    }
    const network = clientNetwork(clientAddress)
    // Anyone can invent codes: what they cost must not keep others from logging in.
    const owner = `console ${signer.id} ${network}`
    const fetch = () => this.#fetchBody(provider.tokenEndpoint, signer, owner, { method: 'POST', form })
    const response = readJsonObject(await this.#redemptions.run(network, fetch))
    if (typeof response === 'string') throw unusable(`the token response ${response}`)
    checkIdToken(response.id_token, provider, nonce)
    const token = signer.targetToken === 'ID' ? response.id_token : response.access_token
    if (typeof token !== 'string') throw unusable(`the token response contains no ${signer.targetToken} token`)
    return token
  }

  #cached(provider: Promise<LoginProvider>): CachedProvider {
    const { clock } = this.#parts
    const cached: CachedProvider = { provider, since: clock.now(), forMs: Number.POSITIVE_INFINITY }
    const endAfter = (ms: number) => (): void => {
      cached.since = clock.now()
      cached.forMs = ms
    }
    provider.then(endAfter(PROVIDER_CACHED_MS), endAfter(FAILURE_CACHED_MS))
    return cached
  }

  async #fetchProvider(signer: StoredSigner): Promise<LoginProvider> {
    const { openIdConfigurationUrl: url, clientId } = browserLoginOf(signer)
    if (!url || !clientId) {
      throw new ConsoleLoginError(
        'signer',
        'the signer is not trusted, or has no openIdConfigurationUrl or no clientId',
      )
    }
    return readProvider(await this.#fetchBody(url, signer, `console ${signer.id}`), signer.issuer, clientId)
  }

  /** Strangers cause these fetches: what they cost must not keep the keys of the signer from being fetched. */
  async #fetchBody(
    url: string,
    { jwksCaPem }: StoredSigner,
    owner: string,
    send?: FetchOptions['send'],
  ): Promise<Buffer> {
    try {
      const options = { owner, accept: JSON_TYPE, mediaTypes: [JSON_TYPE], caPem: jwksCaPem ?? undefined }
      return (await this.#parts.fetchDocument(url, { ...options, ...(send && { send }) })).body
    } catch (error) {
      if (error instanceof OutboundError) throw unusable(`${new URL(url).host}: ${error.message}`, error)
      throw error
    }
  }
}

/** Builds the authorization request URL (OpenID Connect Core 3.1.2.1, RFC 7636). */
export function authorizationUrl(
  { authorizationEndpoint, clientId }: LoginProvider,
  { scopes, redirectUri, state, nonce, verifier, stepUp }: AuthorizationRequest,
): string {
  const url = new URL(authorizationEndpoint)
  const members = {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    scope: [...new Set(['openid', ...scopes])].join(' '),
    state,
    nonce,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    ...stepUp,
  }
  for (const [name, value] of Object.entries(members)) url.searchParams.set(name, value)
  return url.href
}

interface AuthorizationRequest {
  readonly scopes: readonly string[]
  readonly redirectUri: string
  readonly state: string
  readonly nonce: string
  readonly verifier: string
  /** `acr_values` and `max_age`. */
  readonly stepUp?: Readonly<Record<string, string>>
}

function readProvider(body: Buffer, issuer: string, clientId: string): LoginProvider {
  // A document of another issuer could send browsers, and authorization codes, to an attacker.
  const document = readIssuerDocument(body, issuer)
  if (typeof document === 'string') throw unusable(document)
  const { authorization_endpoint: authorizationEndpoint, token_endpoint: tokenEndpoint } = document
  if (typeof authorizationEndpoint !== 'string' || !isSafeLink(authorizationEndpoint)) {
    throw unusable('the discovery document has no safe authorization_endpoint')
  }
  if (typeof tokenEndpoint !== 'string' || !URL.canParse(tokenEndpoint)) {
    throw unusable('the discovery document has no token_endpoint')
  }
  const sendsIssuer = document.authorization_response_iss_parameter_supported === true
  return { issuer, clientId, authorizationEndpoint, tokenEndpoint, sendsIssuer }
}

/**
 * Checks that the ID token belongs to this login. It came from the provider over TLS, so its signature need not be checked here (OpenID
 * Connect Core 3.1.3.7). The token used for the login is verified like every other.
 */
function checkIdToken(idToken: unknown, { issuer, clientId }: LoginProvider, nonce: string): void {
  const reading = typeof idToken === 'string' ? readJws(idToken) : undefined
  if (!reading?.ok) throw unusable('the token response contains no ID token')
  const { iss, aud, nonce: given } = reading.jws.untrustedClaims
  if (iss !== issuer) throw unusable('the ID token has another issuer')
  if (aud !== clientId && !(Array.isArray(aud) && aud.includes(clientId))) {
    throw unusable('the ID token is for another client')
  }
  if (given !== nonce) throw unusable('the ID token belongs to another login: its nonce differs')
}

function unusable(message: string, cause?: unknown): ConsoleLoginError {
  return new ConsoleLoginError('provider', message, { cause })
}
