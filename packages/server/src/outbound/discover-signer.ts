import { invalidField } from '@countersign/core'
import { type DiscoveredSigner, discoveryUrl, readDiscoveryDocument } from './discovery-document.ts'
import type { FetchInTurn } from './fetch-in-turn.ts'
import type { JwksEndpointPolicy } from './jwks-endpoint-policy.ts'
import { OutboundError } from './outbound-error.ts'

/** Reads the discovery document of an issuer for a caller, by id. Throws `INVALID_FIELD` with the reason when it cannot be used. */
export type DiscoverSigner = (callerId: string, issuer: string) => Promise<DiscoveredSigner>

const JSON_TYPE = 'application/json'

export function createDiscoverSigner(fetchInTurn: FetchInTurn, policy: JwksEndpointPolicy): DiscoverSigner {
  const isAllowed = ({ href }: URL): boolean => policy.findRefusal(href) === undefined

  const discover: DiscoverSigner = async (callerId, issuer) => {
    const url = discoveryUrl(issuer)
    // The fetch checks this too, but its error would name the field jwksEndpoint, which the caller did not send.
    const refusal = policy.findRefusal(url)
    if (refusal) throw invalidField('issuer', refusal, issuer)
    const { body } = await fetchInTurn(callerId, url, { accept: JSON_TYPE, mediaTypes: [JSON_TYPE] })
    const reading = readDiscoveryDocument(body, issuer, isAllowed)
    if (!reading.ok) throw invalidField('issuer', reading.reason, issuer)
    // The result will be saved as a signer, so it must pass the same check.
    policy.checkEndpoint(reading.signer.jwksEndpoint)
    return reading.signer
  }

  return async (callerId, issuer) => {
    try {
      return await discover(callerId, issuer)
    } catch (error) {
      if (error instanceof OutboundError) throw invalidField('issuer', error.message, issuer)
      throw error
    }
  }
}
