import { type DiscoveredProvider, fieldError, invalidField } from '@countersign/core'
import { discoveryUrl, readIssuerDocument } from './discovery-document.ts'
import type { FetchInTurn } from './fetch-in-turn.ts'
import type { JwksEndpointPolicy } from './jwks-endpoint-policy.ts'
import { OutboundError } from './outbound-error.ts'

/** Reads the members that a provider record does not set from the issuer's discovery document. */
export type DiscoverProvider = (
  organizationId: string,
  issuer: string,
  url: string | undefined,
) => Promise<DiscoveredProvider>

const JSON_TYPE = 'application/json'
const MAX_URL_LENGTH = 2048

export function createDiscoverProvider(fetchInTurn: FetchInTurn, policy: JwksEndpointPolicy): DiscoverProvider {
  const fetchBody = async (organizationId: string, url: string): Promise<Buffer> => {
    try {
      return (await fetchInTurn(organizationId, url, { accept: JSON_TYPE, mediaTypes: [JSON_TYPE] })).body
    } catch (error) {
      if (error instanceof OutboundError) {
        throw fieldError('issuer', `no discovery document: ${error.tenantMessage}`, url)
      }
      throw error
    }
  }

  return async (organizationId, issuer, url) => {
    const address = url || discoveryUrl(issuer)
    const refusal = policy.findRefusal(address)
    if (refusal) throw invalidField(url ? 'discoveryUrl' : 'issuer', refusal, address)
    const document = readIssuerDocument(await fetchBody(organizationId, address), issuer)
    if (typeof document === 'string') throw fieldError('issuer', document, issuer)
    const link = (name: string): string | undefined => {
      const value = document[name]
      const isUsable = typeof value === 'string' && value.length <= MAX_URL_LENGTH && !policy.findRefusal(value)
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
