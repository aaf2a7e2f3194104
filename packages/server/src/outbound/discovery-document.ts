import { invalidField, isJsonObject, JsonError, type JsonObject, type JsonValue, readJson } from '@countersign/core'

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
const LIMITS = { maxDepth: 16, maxMembers: 10_000, maxStringLength: 16_384 }
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
 * Reads a discovery document that was fetched for an issuer. It must name exactly that issuer (section 4.3): one that speaks for another
 * would let whoever serves it choose the keys of that other one. Throws for no body.
 */
export function readDiscoveryDocument(
  body: Buffer,
  requestedIssuer: string,
  isHttpAllowed: IsHttpAllowed = () => false,
): DiscoveryReading {
  const document = readObject(body)
  if (typeof document === 'string') return refused(document)
  const { issuer, jwks_uri: jwksUri } = document
  if (typeof issuer !== 'string' || issuer === '') return refused('the document has no "issuer"')
  if (issuer !== requestedIssuer) return refused(otherIssuer(issuer, requestedIssuer))
  if (typeof jwksUri !== 'string' || jwksUri === '') {
    return refused(
      'the document has no "jwks_uri": without keys to fetch, give the certificate of the issuer as certPem',
    )
  }
  const problem = endpointProblem(jwksUri, isHttpAllowed)
  if (problem) return refused(`the "jwks_uri" of the document ${problem}`)
  const scopes = usualScopes(document.scopes_supported)
  const openIdConfigurationUrl = discoveryUrl(requestedIssuer)
  return { ok: true, signer: { issuer, jwksEndpoint: jwksUri, openIdConfigurationUrl, ...(scopes && { scopes }) } }
}

const refused = (reason: string): DiscoveryReading => ({ ok: false, reason })

function readObject(body: Buffer): JsonObject | string {
  try {
    const value = readJson(body, LIMITS)
    return isJsonObject(value) ? value : 'the document is not a JSON object'
  } catch (error) {
    if (error instanceof JsonError) return `the document is not valid JSON: ${error.reason}`
    throw error
  }
}

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
