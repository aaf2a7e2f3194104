import { CountersignError } from '../countersign-error.ts'
import type { Credentials } from '../credentials/credentials.ts'
import type { CallOptions, Transport } from '../http/transport.ts'
import type { TokenRequestOptions } from './build-token-request.ts'
import { discoverProvider, type ProviderDocument } from './discover-provider.ts'
import type { ProviderName } from './provider-name.ts'

/** The provider behind an `authenticationUrl`, and how it was recognised. */
export interface RecognizedProvider {
  readonly provider: ProviderName
  readonly by: 'configuration' | 'discovery' | 'address'
  readonly document?: ProviderDocument | undefined
}

export interface RecognizeInput extends Pick<TokenRequestOptions, 'provider' | 'issuer'>, CallOptions {
  readonly credentials: Credentials
  readonly transport: Transport
}

const TIMEOUT_MS = 5_000

/** Ends of token endpoints, and what takes their place in the issuer of the products that have them. */
const ENDPOINTS: readonly (readonly [end: string, issuerEnd: string])[] = [
  ['/protocol/openid-connect/token', ''],
  ['/oauth2/v2.0/token', '/v2.0'],
  ['/v1/token', ''],
  ['/oauth2/token', ''],
  ['/oauth/token', ''],
  ['/token', ''],
]

/**
 * Recognises the provider: as configured; else by the discovery document of its issuer, or of the issuer that its token endpoint suggests; else by
 * the address. A document counts only when it names this token endpoint.
 */
export async function recognizeProvider(input: RecognizeInput): Promise<RecognizedProvider> {
  const { credentials } = input
  const given = input.provider ?? credentials.givenProvider
  if (given !== undefined) return { provider: given, by: 'configuration' }
  // An issuer that is named must have a document: without one there is no token endpoint.
  const issuer = input.issuer ?? credentials.issuer
  if (issuer !== undefined) {
    const document = await discover(input, issuer, issuer)
    return { provider: document.provider, by: 'discovery', document }
  }
  for (const candidate of listIssuers(credentials.authenticationUrl)) {
    const document = await discover(input, candidate).catch(ignoreFailure)
    if (document && isOf(document, credentials.authenticationUrl))
      return { provider: document.provider, by: 'discovery', document }
  }
  return { provider: credentials.provider, by: 'address' }
}

function discover({ transport, signal, timeoutMs = TIMEOUT_MS }: RecognizeInput, address: string, issuer?: string) {
  return discoverProvider(transport, { address, issuer, signal, timeoutMs })
}

/** Without a connection there is no token either: only a provider that responds can lack a document. */
function ignoreFailure(error: unknown): undefined {
  if (!(error instanceof CountersignError) || error.code === 'NETWORK') throw error
  return undefined
}

/** Where the discovery document of a provider may be: the address itself, unless it is a token endpoint. */
function listIssuers(authenticationUrl: string): string[] {
  if (!URL.canParse(authenticationUrl)) return []
  const { origin, pathname } = new URL(authenticationUrl)
  const known = ENDPOINTS.find(([end]) => pathname.endsWith(end))
  if (!known) return [authenticationUrl]
  const [end, issuerEnd] = known
  return [...new Set([origin + pathname.slice(0, -end.length) + issuerEnd, origin])]
}

/** Whether a document describes the provider of this token endpoint, or of this base address. */
function isOf({ tokenEndpoint }: ProviderDocument, authenticationUrl: string): boolean {
  const { pathname, href } = new URL(authenticationUrl)
  const isEndpoint = ENDPOINTS.some(([end]) => pathname.endsWith(end))
  return tokenEndpoint !== undefined && (!isEndpoint || tokenEndpoint === href)
}
