import { type DiscoveredProvider, fieldError, invalidField } from '@countersign/core'
import { discoveryUrl, readIssuerDocument } from './discovery-document.ts'
import type { FetchDocument } from './fetch-document.ts'
import type { JwksEndpointPolicy } from './jwks-endpoint-policy.ts'
import { OutboundError } from './outbound-error.ts'

/** What an issuer's discovery document says, for the members that a provider record leaves out. */
export type DiscoverProvider = (issuer: string, url: string | undefined) => Promise<DiscoveredProvider>

const JSON_TYPE = 'application/json'
const MAX_URL_LENGTH = 2048

export function createDiscoverProvider(fetchDocument: FetchDocument, policy: JwksEndpointPolicy): DiscoverProvider {
  return async (issuer, url) => {
    const address = url || discoveryUrl(issuer)
    const problem = policy.findProblem(address)
    if (problem) throw invalidField(url ? 'discoveryUrl' : 'issuer', problem, address)
    const document = readIssuerDocument(await fetchBody(fetchDocument, address), issuer)
    if (typeof document === 'string') throw fieldError('issuer', document, issuer)
    const link = (name: string): string | undefined => {
      const value = document[name]
      const isUsable = typeof value === 'string' && value.length <= MAX_URL_LENGTH && !policy.findProblem(value)
      return isUsable ? value : undefined
    }
    const [jwksUri, tokenUrl, registrationUrl] = [
      link('jwks_uri'),
      link('token_endpoint'),
      link('registration_endpoint'),
    ]
    return {
      discoveryUrl: address,
      ...(jwksUri && { jwksUri }),
      ...(tokenUrl && { tokenUrl }),
      ...(registrationUrl && { registrationUrl }),
    }
  }
}

async function fetchBody(fetchDocument: FetchDocument, url: string): Promise<Buffer> {
  try {
    return (await fetchDocument(url, { accept: JSON_TYPE, mediaTypes: [JSON_TYPE] })).body
  } catch (error) {
    if (error instanceof OutboundError) throw fieldError('issuer', `no discovery document: ${error.message}`, url)
    throw error
  }
}
