import type { IncomingMessage } from 'node:http'
import type Provider from 'oidc-provider'
import { signJwt } from '../platform/keys/sign-jwt.ts'
import { createHostedPlatformToken } from './hosted-platform-token.ts'
import { createIsMachine } from './machine-clients.ts'
import { createPersonToken } from './person-token.ts'
import type { IssuerAddresses, ProviderAddresses } from './provider-addresses.ts'
import type { ProviderResponse } from './provider-http.ts'
import { publicKeySet, signingKeyOf } from './provider-keys.ts'
import { createLogoutSender, createSignalSender, type DeliverMessage } from './provider-messages.ts'
import { buildMetadata } from './provider-metadata.ts'
import { createProvisioner, type SendScim } from './provider-scim.ts'
import type { ProviderStateFile } from './provider-state.ts'
import { createRotateKeys } from './rotate-keys.ts'
import { createUserPoolToken } from './user-pool-token.ts'

export interface ProviderRoutesParts {
  readonly addresses: ProviderAddresses
  readonly state: ProviderStateFile
  readonly provider: () => Promise<Provider>
  readonly audiences: () => readonly string[]
  readonly onRotated: () => void
  readonly deliver: () => DeliverMessage | undefined
  readonly sendScim: () => SendScim | undefined
}

type Handle = (request: IncomingMessage) => Promise<ProviderResponse> | ProviderResponse
type Row = readonly [method: 'GET' | 'POST', url: string, handle: Handle]

const PUBLIC = { 'cache-control': 'public, max-age=60', 'access-control-allow-origin': '*' }

/** Routes besides those of `oidc-provider`, by method and path. */
export function buildProviderRoutes(parts: ProviderRoutesParts): ReadonlyMap<string, Handle> {
  const { addresses, state, provider, audiences, onRotated, deliver, sendScim } = parts
  const { base, userPool, hostedPlatform, enterprise } = addresses
  const keys = () => state.current().keys.flat()
  const tokenParts = {
    isMachine: createIsMachine(state),
    sign: (claims: Readonly<Record<string, unknown>>, type?: string) => signJwt(signingKeyOf(keys()), claims, type),
  }
  const messages = { issuer: enterprise.issuer, sign: tokenParts.sign, deliver }
  const scimToken = () => state.current().demo.scimToken
  const keySet: Handle = () => ({ status: 200, json: publicKeySet(keys()), headers: PUBLIC })
  const metadata = (issuer: IssuerAddresses, clientAuthentication: readonly string[]): Handle => {
    const json = buildMetadata(issuer, addresses, clientAuthentication)
    return () => ({ status: 200, json, headers: PUBLIC })
  }
  const platformToken = createHostedPlatformToken({ ...tokenParts, issuer: hostedPlatform.issuer, audiences })
  const rows: readonly Row[] = [
    ['GET', enterprise.jwksUri, keySet],
    ['GET', userPool.jwksUri, keySet],
    ['GET', hostedPlatform.jwksUri, keySet],
    ['GET', userPool.discoveryUrl, metadata(userPool, ['client_secret_basic'])],
    ['GET', hostedPlatform.discoveryUrl, metadata(hostedPlatform, ['client_secret_post'])],
    ['POST', userPool.tokenUrl, createUserPoolToken({ ...tokenParts, issuer: userPool.issuer })],
    ...platformTokenUrls(hostedPlatform).map((url): Row => ['POST', url, platformToken]),
    ['POST', `${base}/dev/rotate-keys`, refuseBrowsers(createRotateKeys(state, onRotated))],
    ['POST', `${base}/dev/logout`, refuseBrowsers(createLogoutSender(messages))],
    ['POST', `${base}/dev/signal`, refuseBrowsers(createSignalSender(messages))],
    ['POST', `${base}/dev/provision`, refuseBrowsers(createProvisioner({ send: sendScim, token: scimToken }))],
    ['POST', `${base}/dev/token`, refuseBrowsers(createPersonToken(provider))],
  ]
  return new Map(rows.map(([method, url, handle]) => [`${method} ${new URL(url).pathname}`, handle]))
}

const PLATFORM_TOKEN_PATH = 'oauth/token'

/** Clients append the path to what they take for the base address: the origin, the issuer, or the token endpoint itself. */
function platformTokenUrls({ issuer, tokenUrl }: IssuerAddresses): string[] {
  return [tokenUrl, `${tokenUrl}/${PLATFORM_TOKEN_PATH}`, `${issuer}${PLATFORM_TOKEN_PATH}`]
}

/** For scripts only: refuses requests with an Origin header, which browsers send. */
function refuseBrowsers(handle: Handle): Handle {
  return (request) =>
    request.headers.origin === undefined ? handle(request) : { status: 403, json: { error: 'access_denied' } }
}
