import { createHash } from 'node:crypto'
import { BoundedCache, isSafeLink, readJws } from '@countersign/core'
import { readIssuerDocument } from '../../outbound/discovery-document.ts'
import type { FetchDocument, FetchOptions } from '../../outbound/fetch-document.ts'
import { OutboundError } from '../../outbound/outbound-error.ts'
import { readJsonObject } from '../../outbound/read-json-object.ts'
import type { Clock } from '../../platform/clock.ts'
import type { StoredSigner } from '../../store/signer-row.ts'
import { LoginProblem } from './login-problem.ts'

/** What signing in at a provider takes, from its discovery document. */
export interface LoginProvider {
  readonly issuer: string
  readonly clientId: string
  readonly authorizationEndpoint: string
  readonly tokenEndpoint: string
  /** It says in its answers who it is (RFC 9207). */
  readonly namesItself: boolean
}

export interface LoginProviders {
  /** The provider of a signer. Throws LoginProblem when nobody can sign in there. */
  find(signer: StoredSigner): Promise<LoginProvider>
  /** Trades the code that the provider sent for the token that the signer takes. Throws LoginProblem. */
  redeem(signer: StoredSigner, provider: LoginProvider, code: RedeemedCode): Promise<string>
}

interface RedeemedCode {
  readonly code: string
  readonly verifier: string
  readonly nonce: string
  readonly redirectUri: string
}

/** What came, or will come, of a provider's discovery document. */
interface KeptProvider {
  readonly found: Promise<LoginProvider>
  since: number
  /** Without end while it is under way. */
  forMs: number
}

const JSON_TYPE = 'application/json'
const FOUND_KEPT_MS = 300_000
/** Whoever asks over and over for a provider that is down asks us, and not the provider. */
const FAILURE_KEPT_MS = 5_000
const MAX_KEPT = 500

/**
 * Speaks to providers by the rules for everything that is fetched. A discovery document is fetched once for all who wait for it and kept for
 * five minutes, a failure for five seconds; a change of the signer forgets both.
 */
export function createLoginProviders(parts: {
  readonly fetchDocument: FetchDocument
  readonly clock: Clock
}): LoginProviders {
  const { fetchDocument, clock } = parts
  const kept = new BoundedCache<string, KeptProvider>(MAX_KEPT)

  const fetchBody = async (url: string, { jwksCaPem }: StoredSigner, send?: FetchOptions['send']): Promise<Buffer> => {
    try {
      const options = { accept: JSON_TYPE, mediaTypes: [JSON_TYPE], caPem: jwksCaPem ?? undefined }
      return (await fetchDocument(url, { ...options, ...(send && { send }) })).body
    } catch (error) {
      if (error instanceof OutboundError) throw unusable(`${new URL(url).host}: ${error.message}`, error)
      throw error
    }
  }

  const fetchProvider = async (signer: StoredSigner): Promise<LoginProvider> => {
    const { openIdConfigurationUrl: url, clientId, issuer } = signer
    if (!url || !clientId) {
      throw new LoginProblem('signer', 'the signer has no openIdConfigurationUrl, or no clientId')
    }
    return readProvider(await fetchBody(url, signer), issuer, clientId)
  }

  const keep = (found: Promise<LoginProvider>): KeptProvider => {
    const provider: KeptProvider = { found, since: clock.now(), forMs: Number.POSITIVE_INFINITY }
    const endAfter = (ms: number) => (): void => {
      provider.since = clock.now()
      provider.forMs = ms
    }
    found.then(endAfter(FOUND_KEPT_MS), endAfter(FAILURE_KEPT_MS))
    return provider
  }

  return {
    find: (signer) => {
      const name = `${signer.id} ${signer.revision}`
      const known = kept.get(name)
      // A clock that is set back must not keep it for as long as that.
      if (known && Math.abs(clock.now() - known.since) < known.forMs) return known.found
      const provider = keep(fetchProvider(signer))
      kept.set(name, provider)
      return provider.found
    },
    redeem: async (signer, provider, { code, verifier, nonce, redirectUri }) => {
      const form = {
        grant_type: 'authorization_code',
        code,
        redirect_uri: redirectUri,
        client_id: provider.clientId,
        code_verifier: verifier,
      }
      const answer = readJsonObject(await fetchBody(provider.tokenEndpoint, signer, { method: 'POST', form }))
      if (typeof answer === 'string') throw unusable(`the answer ${answer}`)
      checkIdToken(answer.id_token, provider, nonce)
      const token = signer.targetToken === 'ID' ? answer.id_token : answer.access_token
      if (typeof token !== 'string') throw unusable(`the answer holds no ${signer.targetToken} token`)
      return token
    },
  }
}

/** Where a browser is sent to sign in (OpenID Connect Core 3.1.2.1, RFC 7636). */
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
  // One that speaks for another issuer would send browsers, and their codes, to whoever wrote it.
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
 * Whether the ID token belongs to this very sign-in. It came from the provider itself, over the connection that we opened, so that its
 * signature adds nothing (OpenID Connect Core 3.1.3.7); the token that signs in is verified as everywhere.
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
