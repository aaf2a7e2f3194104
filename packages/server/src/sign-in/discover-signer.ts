import { AppError, invalidField } from '@countersign/core'
import { type DiscoveredSigner, discoveryUrl, readDiscoveryDocument } from '../outbound/discovery-document.ts'
import type { FetchDocument } from '../outbound/fetch-document.ts'
import type { JwksEndpointPolicy } from '../outbound/jwks-endpoint-policy.ts'
import { OutboundError } from '../outbound/outbound-error.ts'

/** Reads the discovery document of an issuer. Throws `INVALID_FIELD`, which says why nothing can be taken from it. */
export type DiscoverSigner = (issuer: string) => Promise<DiscoveredSigner>

const JSON_TYPE = 'application/json'
/** More than this at once and the next caller has to come again. */
const MAX_AT_ONCE = 8

export function createDiscoverSigner(fetchDocument: FetchDocument, policy: JwksEndpointPolicy): DiscoverSigner {
  let working = 0

  const isAllowed = (url: URL): boolean => {
    try {
      policy.checkEndpoint(url.href)
      return true
    } catch (error) {
      if (error instanceof AppError) return false
      throw error
    }
  }

  const discover = async (issuer: string): Promise<DiscoveredSigner> => {
    const { body } = await fetchDocument(discoveryUrl(issuer), { accept: JSON_TYPE, mediaTypes: [JSON_TYPE] })
    const reading = readDiscoveryDocument(body, issuer, isAllowed)
    if (!reading.ok) throw invalidField('issuer', reading.reason, issuer)
    // What is answered here is meant to be saved, so it must pass what saving asks.
    policy.checkEndpoint(reading.signer.jwksEndpoint)
    return reading.signer
  }

  return async (issuer) => {
    if (working >= MAX_AT_ONCE) throw new AppError('SERVER_TOO_MANY_REQUESTS')
    working++
    try {
      return await discover(issuer)
    } catch (error) {
      if (error instanceof OutboundError) throw invalidField('issuer', reasonOf(error), issuer)
      throw error
    } finally {
      working--
    }
  }
}

/** The rules for endpoints speak of a field of signers, which the caller has not named: only what is wrong is told. */
function reasonOf({ reason, message }: OutboundError): string {
  const prefix = 'is invalid: '
  return reason === 'endpoint-refused' ? message.slice(message.lastIndexOf(prefix) + prefix.length) : message
}
