import { invalidField, type JsonObject, type JsonValue } from '@countersign/core'
import { readJsonObject } from './read-json-object.ts'

/** The fields of a signer that a provider's discovery document implies. */
export interface DiscoveredSigner {
  readonly issuer: string
  readonly jwksEndpoint: string
  readonly openIdConfigurationUrl: string
  /** Those of the usual ones that the provider says it has. */
  readonly scopes?: readonly string[]
}

/** Why nothing can be taken from a document, in words for the administrator who named the issuer. */
export type DiscoveryReading =
  | { readonly ok: true; readonly signer: DiscoveredSigner }
  | { readonly ok: false; readonly reason: string }

/** Whether a host may be asked over http, as the settings have it. */
export type IsHttpAllowed = (url: URL) => boolean

const WELL_KNOWN = '/.well-known/openid-configuration'
const MAX_URL_LENGTH = 1024
const MAX_SHOWN = 256
/** What a client needs to learn who somebody is. */
const USUAL_SCOPES: readonly string[] = ['openid', 'profile', 'email']

/**
 * Where the provider with this issuer publishes its discovery document (OpenID Connect Discovery section 4).
 * @throws {AppError} INVALID_FIELD for an issuer that has none
 */
export function discoveryUrl(issuer: string): string {
  const problem = issuerProblem(issuer)
  if (problem) throw invalidField('issuer', problem, issuer)
  return `${issuer.endsWith('/') ? issuer.slice(0, -1) : issuer}${WELL_KNOWN}`
}

function issuerProblem(issuer: string): string | undefined {
  if (!URL.canParse(issuer)) return 'it is not an absolute URL'
  const { protocol } = new URL(issuer)
  if (protocol !== 'https:' && protocol !== 'http:') return 'it is not an https address'
  if (issuer.includes('?') || issuer.includes('#')) return 'an issuer has no query and no fragment'
  return issuer.includes('/.well-known/') ? `give the issuer alone, without ${WELL_KNOWN}` : undefined
}

/**
 * The members of a discovery document that was fetched for an issuer, or why they count for nothing. It must name exactly that issuer
 * (section 4.3): one that speaks for another would let whoever serves it choose the keys of that other one, and where its people are sent.
 */
export function readIssuerDocument(body: Buffer, requestedIssuer: string): JsonObject | string {
  const document = readJsonObject(body)
  if (typeof document === 'string') return `the document ${document}`
  const { issuer } = document
  if (typeof issuer !== 'string' || issuer === '') return 'the document has no "issuer"'
  return issuer === requestedIssuer ? document : otherIssuer(issuer, requestedIssuer)
}

/** Reads what a signer takes from the discovery document of its issuer. Throws for no body. */
export function readDiscoveryDocument(
  body: Buffer,
  requestedIssuer: string,
  isHttpAllowed: IsHttpAllowed = () => false,
): DiscoveryReading {
  const document = readIssuerDocument(body, requestedIssuer)
  if (typeof document === 'string') return refused(document)
  const { jwks_uri: jwksUri } = document
  if (typeof jwksUri !== 'string' || jwksUri === '') {
    return refused(
      'the document has no "jwks_uri": without keys to fetch, give the certificate of the issuer as certPem',
    )
  }
  const problem = endpointProblem(jwksUri, isHttpAllowed)
  if (problem) return refused(`the "jwks_uri" of the document ${problem}`)
  const scopes = usualScopes(document.scopes_supported)
  const openIdConfigurationUrl = discoveryUrl(requestedIssuer)
  const signer = { issuer: requestedIssuer, jwksEndpoint: jwksUri, openIdConfigurationUrl, ...(scopes && { scopes }) }
  return { ok: true, signer }
}

const refused = (reason: string): DiscoveryReading => ({ ok: false, reason })

function otherIssuer(named: string, requested: string): string {
  const both = `the document is of the issuer ${shown(named)}, not of ${shown(requested)}`
  if (named.includes('{tenantid}')) return `${both}: give the issuer with the id of your own tenant`
  const isNear = withoutSlash(named).toLowerCase() === withoutSlash(requested).toLowerCase()
  return isNear ? `${both}: give the issuer exactly as the document has it` : both
}

function endpointProblem(endpoint: string, isHttpAllowed: IsHttpAllowed): string | undefined {
  if (endpoint.length > MAX_URL_LENGTH) return `is longer than ${MAX_URL_LENGTH} characters`
  if (!URL.canParse(endpoint)) return 'is not an absolute URL'
  const url = new URL(endpoint)
  if (url.protocol === 'https:' || (url.protocol === 'http:' && isHttpAllowed(url))) return undefined
  return 'is not an https address'
}

function usualScopes(supported: JsonValue | undefined): string[] | undefined {
  if (!Array.isArray(supported)) return undefined
  const scopes = USUAL_SCOPES.filter((scope) => supported.includes(scope))
  return scopes.length > 0 ? scopes : undefined
}

function withoutSlash(text: string): string {
  return text.endsWith('/') ? text.slice(0, -1) : text
}

function shown(text: string): string {
  return JSON.stringify(text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN).toWellFormed()}…` : text)
}
