import { invalidField, type JsonObject, type JsonValue } from '@countersign/core'
import { readJsonObject } from './read-json-object.ts'

/** The fields of a signer that a provider's discovery document implies. */
export interface DiscoveredSigner {
  readonly issuer: string
  readonly jwksEndpoint: string
  readonly openIdConfigurationUrl: string
  /** The usual scopes that the provider supports. */
  readonly scopes?: readonly string[]
}

/** The signer, or for the administrator the reason why the document cannot be used. */
export type DiscoveryReading =
  | { readonly ok: true; readonly signer: DiscoveredSigner }
  | { readonly ok: false; readonly reason: string }

/** Whether the settings allow http for this URL. */
export type IsHttpAllowed = (url: URL) => boolean

const WELL_KNOWN = '/.well-known/openid-configuration'
const MAX_URL_LENGTH = 1024
const MAX_SHOWN = 256
/** Scopes that clients request to identify a user. */
const USUAL_SCOPES: readonly string[] = ['openid', 'profile', 'email']

/**
 * Returns the URL of an issuer's discovery document (OpenID Connect Discovery section 4).
 * @throws {AppError} INVALID_FIELD for an invalid issuer
 */
export function discoveryUrl(issuer: string): string {
  const error = findIssuerError(issuer)
  if (error) throw invalidField('issuer', error, issuer)
  return `${issuer.endsWith('/') ? issuer.slice(0, -1) : issuer}${WELL_KNOWN}`
}

function findIssuerError(issuer: string): string | undefined {
  if (!URL.canParse(issuer)) return 'it is not an absolute URL'
  const { protocol } = new URL(issuer)
  if (protocol !== 'https:' && protocol !== 'http:') return 'it is not an https URL'
  if (issuer.includes('?') || issuer.includes('#')) return 'an issuer has no query and no fragment'
  return issuer.includes('/.well-known/') ? `enter the issuer without ${WELL_KNOWN}` : undefined
}

/**
 * Returns the members of the discovery document fetched for an issuer, or why it cannot be used. The document must name exactly that issuer
 * (section 4.3): otherwise its server could choose the keys of another issuer, and where that issuer's users are redirected.
 */
export function readIssuerDocument(body: Buffer, requestedIssuer: string): JsonObject | string {
  const document = readJsonObject(body)
  if (typeof document === 'string') return `the document ${document}`
  const { issuer } = document
  if (typeof issuer !== 'string' || issuer === '') return 'the document has no "issuer"'
  return issuer === requestedIssuer ? document : otherIssuer(issuer, requestedIssuer)
}

/** Reads the fields of a signer from the discovery document of its issuer. Never throws for an invalid body. */
export function readDiscoveryDocument(
  body: Buffer,
  requestedIssuer: string,
  isHttpAllowed: IsHttpAllowed = () => false,
): DiscoveryReading {
  const document = readIssuerDocument(body, requestedIssuer)
  if (typeof document === 'string') return refused(document)
  const { jwks_uri: jwksUri } = document
  if (typeof jwksUri !== 'string' || jwksUri === '') {
    return refused('the document has no "jwks_uri": set certPem to the certificate of the issuer instead')
  }
  const error = findEndpointError(jwksUri, isHttpAllowed)
  if (error) return refused(`the "jwks_uri" of the document ${error}`)
  const scopes = usualScopes(document.scopes_supported)
  const openIdConfigurationUrl = discoveryUrl(requestedIssuer)
  const signer = { issuer: requestedIssuer, jwksEndpoint: jwksUri, openIdConfigurationUrl, ...(scopes && { scopes }) }
  return { ok: true, signer }
}

const refused = (reason: string): DiscoveryReading => ({ ok: false, reason })

function otherIssuer(named: string, requested: string): string {
  const text = `the document belongs to the issuer ${shown(named)}, not to ${shown(requested)}`
  if (named.includes('{tenantid}')) return `${text}: use the issuer with the id of your tenant`
  const isSimilar = withoutSlash(named).toLowerCase() === withoutSlash(requested).toLowerCase()
  return isSimilar ? `${text}: use the issuer exactly as in the document` : text
}

function findEndpointError(endpoint: string, isHttpAllowed: IsHttpAllowed): string | undefined {
  if (endpoint.length > MAX_URL_LENGTH) return `is longer than ${MAX_URL_LENGTH} characters`
  if (!URL.canParse(endpoint)) return 'is not an absolute URL'
  const url = new URL(endpoint)
  if (url.protocol === 'https:' || (url.protocol === 'http:' && isHttpAllowed(url))) return undefined
  return 'is not an https URL'
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
