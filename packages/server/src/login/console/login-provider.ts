import { createHash } from 'node:crypto'
import { BoundedCache, isSafeLink, readJws } from '@countersign/core'
import { readIssuerDocument } from '../../outbound/discovery-document.ts'
import type { FetchDocument, FetchOptions } from '../../outbound/fetch-document.ts'
import { OutboundError } from '../../outbound/outbound-error.ts'
import { readJsonObject } from '../../outbound/read-json-object.ts'
import type { Clock } from '../../platform/clock.ts'
import type { StoredSigner } from '../../store/signer-row.ts'
import { LoginProblem } from './login-problem.ts'

/** The parts of an identity provider's discovery document that a login needs. */
export interface LoginProvider {
  readonly issuer: string
  readonly clientId: string
  readonly authorizationEndpoint: string
  readonly tokenEndpoint: string
  /** Its responses carry `iss` (RFC 9207). */
  readonly namesItself: boolean
}

interface RedeemedCode {
  readonly code: string
  readonly verifier: string
  readonly nonce: string
  readonly redirectUri: string
}

interface LoginProvidersParts {
  readonly fetchDocument: FetchDocument
  readonly clock: Clock
}

/** A fetch of a discovery document, under way or ended. */
interface KeptProvider {
  readonly found: Promise<LoginProvider>
  since: number
  /** Infinite while the fetch is under way. */
  forMs: number
}

const JSON_TYPE = 'application/json'
const FOUND_KEPT_MS = 300_000
/** Repeated logins at a provider that is down must not become repeated requests to it. */
const FAILURE_KEPT_MS = 5_000
const MAX_KEPT = 500

/**
 * The identity providers of signers, requested under the rules for all outbound requests. A discovery document is fetched once for all that
 * wait for it and kept for five minutes, a failure for five seconds; a change of the signer drops both.
 */
export class LoginProviders {
  readonly #parts: LoginProvidersParts
  readonly #kept = new BoundedCache<string, KeptProvider>(MAX_KEPT)

  constructor(parts: LoginProvidersParts) {
    this.#parts = parts
  }

  /** The provider of a signer. Throws LoginProblem when it cannot be used for logins. */
  find(signer: StoredSigner): Promise<LoginProvider> {
    const name = `${signer.id} ${signer.revision}`
    const known = this.#kept.get(name)
    // Absolute, so that a clock that is set back does not prolong it.
    if (known && Math.abs(this.#parts.clock.now() - known.since) < known.forMs) return known.found
    const provider = this.#keep(this.#fetchProvider(signer))
    this.#kept.set(name, provider)
    return provider.found
  }

  /** Exchanges the provider's code for the token that the signer accepts. Throws LoginProblem. */
  async redeem(
    signer: StoredSigner,
    provider: LoginProvider,
    { code, verifier, nonce, redirectUri }: RedeemedCode,
  ): Promise<string> {
    const form = {
      grant_type: 'authorization_code',
      code,
      redirect_uri: redirectUri,
      client_id: provider.clientId,
      code_verifier: verifier,
    }
    const answer = readJsonObject(await this.#fetchBody(provider.tokenEndpoint, signer, { method: 'POST', form }))
    if (typeof answer === 'string') throw unusable(`the answer ${answer}`)
    checkIdToken(answer.id_token, provider, nonce)
    const token = signer.targetToken === 'ID' ? answer.id_token : answer.access_token
    if (typeof token !== 'string') throw unusable(`the answer holds no ${signer.targetToken} token`)
    return token
  }

  #keep(found: Promise<LoginProvider>): KeptProvider {
    const { clock } = this.#parts
    const provider: KeptProvider = { found, since: clock.now(), forMs: Number.POSITIVE_INFINITY }
    const endAfter = (ms: number) => (): void => {
      provider.since = clock.now()
      provider.forMs = ms
    }
    found.then(endAfter(FOUND_KEPT_MS), endAfter(FAILURE_KEPT_MS))
    return provider
  }

  async #fetchProvider(signer: StoredSigner): Promise<LoginProvider> {
    const { openIdConfigurationUrl: url, clientId, issuer } = signer
    if (!url || !clientId) {
      throw new LoginProblem('signer', 'the signer has no openIdConfigurationUrl, or no clientId')
    }
    return readProvider(await this.#fetchBody(url, signer), issuer, clientId)
  }

  async #fetchBody(url: string, { jwksCaPem }: StoredSigner, send?: FetchOptions['send']): Promise<Buffer> {
    try {
      const options = { accept: JSON_TYPE, mediaTypes: [JSON_TYPE], caPem: jwksCaPem ?? undefined }
      return (await this.#parts.fetchDocument(url, { ...options, ...(send && { send }) })).body
    } catch (error) {
      if (error instanceof OutboundError) throw unusable(`${new URL(url).host}: ${error.message}`, error)
      throw error
    }
  }
}

/** The URL that a browser is sent to for a login (OpenID Connect Core 3.1.2.1, RFC 7636). */
export function authorizationUrl(
  { authorizationEndpoint, clientId }: LoginProvider,
  { scopes, redirectUri, state, nonce, verifier }: AuthorizationRequest,
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
}

function readProvider(body: Buffer, issuer: string, clientId: string): LoginProvider {
  // A document of another issuer could send browsers, and their codes, to an attacker.
  const document = readIssuerDocument(body, issuer)
  if (typeof document === 'string') throw unusable(document)
  const { authorization_endpoint: authorizationEndpoint, token_endpoint: tokenEndpoint } = document
  if (typeof authorizationEndpoint !== 'string' || !isSafeLink(authorizationEndpoint)) {
    throw unusable('the discovery document has no authorization_endpoint that a browser may be sent to')
  }
  if (typeof tokenEndpoint !== 'string' || !URL.canParse(tokenEndpoint)) {
    throw unusable('the discovery document has no token_endpoint')
  }
  const namesItself = document.authorization_response_iss_parameter_supported === true
  return { issuer, clientId, authorizationEndpoint, tokenEndpoint, namesItself }
}

/**
 * Checks that the ID token belongs to this very login. It came from the provider over TLS, so its signature need not be checked here (OpenID
 * Connect Core 3.1.3.7); the token that logs in is verified as in every token login.
 */
function checkIdToken(idToken: unknown, { issuer, clientId }: LoginProvider, nonce: string): void {
  const reading = typeof idToken === 'string' ? readJws(idToken) : undefined
  if (!reading?.ok) throw unusable('the answer holds no ID token')
  const { iss, aud, nonce: given } = reading.jws.untrustedClaims
  if (iss !== issuer) throw unusable('the ID token is of another issuer')
  if (aud !== clientId && !(Array.isArray(aud) && aud.includes(clientId))) {
    throw unusable('the ID token is for another client')
  }
  if (given !== nonce) throw unusable('the ID token is of another sign-in: its nonce differs')
}

function unusable(message: string, cause?: unknown): LoginProblem {
  return new LoginProblem('provider', message, { cause })
}
