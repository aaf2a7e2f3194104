import { CountersignError } from '../countersign-error.ts'
import { toError } from '../http/error-answer.ts'
import { memberOf, parseJson, textOf } from '../http/read-body.ts'
import { parseSafeAddress } from '../http/safe-address.ts'
import type { CallOptions, Transport } from '../http/transport.ts'

/** What a provider says about itself, as far as it is used here. */
export interface ProviderDocument {
  readonly issuer: string
  readonly tokenEndpoint: string | undefined
  readonly authorizationEndpoint: string | undefined
  readonly deviceAuthorizationEndpoint: string | undefined
  /** How clients may show who they are; undefined when the document does not say. */
  readonly authMethods: readonly string[] | undefined
  /** Whether answers to logins in the browser name the issuer (RFC 9207). */
  readonly namesIssuer: boolean
}

const WELL_KNOWN = '/.well-known/openid-configuration'

/** The address of a provider's document: the issuer's own, or the address itself if it is one. */
export function discoveryAddress(issuerOrDocument: string): string {
  if (issuerOrDocument.includes('/.well-known/')) return issuerOrDocument
  const base = issuerOrDocument.endsWith('/') ? issuerOrDocument.slice(0, -1) : issuerOrDocument
  return base + WELL_KNOWN
}

/** Reads a provider's document. Throws BAD_DISCOVERY; with `issuer` also when the document names another. */
export async function discoverProvider(
  transport: Transport,
  { address, issuer, ...options }: { address: string; issuer?: string | undefined } & CallOptions,
): Promise<ProviderDocument> {
  const url = parseSafeAddress(discoveryAddress(address), 'the address of the provider').href
  const answer = await transport.send({ method: 'GET', url, headers: { accept: 'application/json' }, ...options })
  const refuse = (why: string) =>
    new CountersignError({ code: 'BAD_DISCOVERY', status: answer.status, message: `${url} ${why}` })
  if (!answer.isOk) throw refuse(`answers ${toError(answer).status}`)
  const document = parseJson(answer.text)
  const named = textOf(document, 'issuer')
  if (named === undefined) throw refuse('is not the document of a provider')
  if (issuer !== undefined && issuer !== named) throw refuse('names another issuer')
  const endpoint = (name: string): string | undefined => {
    const value = textOf(document, name)
    return value === undefined ? undefined : parseSafeAddress(value, name).href
  }
  const methods = memberOf(document, 'token_endpoint_auth_methods_supported')
  return {
    issuer: named,
    tokenEndpoint: endpoint('token_endpoint'),
    authorizationEndpoint: endpoint('authorization_endpoint'),
    deviceAuthorizationEndpoint: endpoint('device_authorization_endpoint'),
    authMethods: Array.isArray(methods) ? methods.filter((one) => typeof one === 'string') : undefined,
    namesIssuer: memberOf(document, 'authorization_response_iss_parameter_supported') === true,
  }
}
