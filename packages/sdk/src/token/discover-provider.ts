import { productOfDiscovery } from '@countersign/contract/provider-kind'
import { CountersignError } from '../countersign-error.ts'
import { toError } from '../http/error-response.ts'
import { memberOf, parseJson, textOf } from '../http/read-body.ts'
import { parseSafeAddress } from '../http/safe-address.ts'
import type { CallOptions, Transport } from '../http/transport.ts'
import type { ProviderName } from './provider-name.ts'

/** The members of a discovery document that are used here. */
export interface ProviderDocument {
  readonly issuer: string
  /** The product that the document shows. */
  readonly provider: ProviderName
  readonly tokenEndpoint: string | undefined
  readonly authorizationEndpoint: string | undefined
  readonly deviceAuthorizationEndpoint: string | undefined
  /** `token_endpoint_auth_methods_supported`; undefined when absent. */
  readonly authMethods: readonly string[] | undefined
  /** Whether authorization responses carry `iss` (RFC 9207). */
  readonly namesIssuer: boolean
}

const MICROSOFT_MEMBERS = ['tenant_region_scope', 'msgraph_host']
const WELL_KNOWN = '/.well-known/openid-configuration'

/** The address of a provider's discovery document. Accepts an issuer or the address itself. */
export function discoveryAddress(issuerOrDocument: string): string {
  if (issuerOrDocument.includes('/.well-known/')) return issuerOrDocument
  const base = issuerOrDocument.endsWith('/') ? issuerOrDocument.slice(0, -1) : issuerOrDocument
  return base + WELL_KNOWN
}

/** Reads a provider's discovery document. `namedBy` is where its address was read. Throws BAD_DISCOVERY, also when `issuer` is given and differs. */
export async function discoverProvider(
  transport: Transport,
  {
    address,
    namedBy,
    issuer,
    ...options
  }: { address: string; namedBy?: string | undefined; issuer?: string | undefined } & CallOptions,
): Promise<ProviderDocument> {
  const url = parseSafeAddress(discoveryAddress(address), 'the address of the provider', namedBy).href
  const response = await transport.send({ method: 'GET', url, headers: { accept: 'application/json' }, ...options })
  const refuse = (why: string) =>
    new CountersignError({ code: 'BAD_DISCOVERY', status: response.status, message: `${url} ${why}` })
  if (!response.isOk) throw refuse(`responds with status ${toError(response).status}`)
  const document = parseJson(response.text)
  const named = textOf(document, 'issuer')
  if (named === undefined) throw refuse('is not a discovery document')
  if (issuer !== undefined && issuer !== named) throw refuse('names another issuer')
  const endpoint = (name: string): string | undefined => {
    const value = textOf(document, name)
    return value === undefined ? undefined : parseSafeAddress(value, name, url).href
  }
  const methods = memberOf(document, 'token_endpoint_auth_methods_supported')
  const product = productOfDiscovery({
    issuer: named,
    tokenEndpoint: textOf(document, 'token_endpoint') ?? '',
    jwksUri: textOf(document, 'jwks_uri') ?? '',
    hasMicrosoftMembers: MICROSOFT_MEMBERS.some((name) => memberOf(document, name) !== undefined),
  })
  return {
    issuer: named,
    provider: product === 'unknown' ? 'oidc' : product,
    tokenEndpoint: endpoint('token_endpoint'),
    authorizationEndpoint: endpoint('authorization_endpoint'),
    deviceAuthorizationEndpoint: endpoint('device_authorization_endpoint'),
    authMethods: Array.isArray(methods) ? methods.filter((one) => typeof one === 'string') : undefined,
    namesIssuer: memberOf(document, 'authorization_response_iss_parameter_supported') === true,
  }
}
