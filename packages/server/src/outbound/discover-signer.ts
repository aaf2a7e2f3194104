import { AppError, invalidField } from '@countersign/core'
import { type DiscoveredSigner, discoveryUrl, readDiscoveryDocument } from './discovery-document.ts'
import type { FetchDocument } from './fetch-document.ts'
import type { JwksEndpointPolicy } from './jwks-endpoint-policy.ts'
import { OutboundError } from './outbound-error.ts'

/** Reads the discovery document of an issuer. Throws `INVALID_FIELD` with the reason when it cannot be used. */
export type DiscoverSigner = (issuer: string) => Promise<DiscoveredSigner>

const JSON_TYPE = 'application/json'
/** Concurrent discoveries. Further calls are refused. */
const MAX_AT_ONCE = 8

export function createDiscoverSigner(fetchDocument: FetchDocument, policy: JwksEndpointPolicy): DiscoverSigner {
  let working = 0

  const isAllowed = ({ href }: URL): boolean => policy.findRefusal(href) === undefined

  const discover = async (issuer: string): Promise<DiscoveredSigner> => {
    const url = discoveryUrl(issuer)
    // The fetch checks this too, but its error would name the field jwksEndpoint, which the caller did not send.
    const refusal = policy.findRefusal(url)
    if (refusal) throw invalidField('issuer', refusal, issuer)
    const { body } = await fetchDocument(url, { accept: JSON_TYPE, mediaTypes: [JSON_TYPE] })
    const reading = readDiscoveryDocument(body, issuer, isAllowed)
    if (!reading.ok) throw invalidField('issuer', reading.reason, issuer)
    // The result will be saved as a signer, so it must pass the same check.
    policy.checkEndpoint(reading.signer.jwksEndpoint)
    return reading.signer
  }

  return async (issuer) => {
    if (working >= MAX_AT_ONCE) throw new AppError('SERVER_TOO_MANY_REQUESTS')
    working++
    try {
      return await discover(issuer)
    } catch (error) {
      if (error instanceof OutboundError) throw invalidField('issuer', error.message, issuer)
      throw error
    } finally {
      working--
    }
  }
}
