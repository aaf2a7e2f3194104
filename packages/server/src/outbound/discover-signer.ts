import { AppError, invalidField } from '@countersign/core'
import { type DiscoveredSigner, discoveryUrl, readDiscoveryDocument } from './discovery-document.ts'
import type { FetchDocument } from './fetch-document.ts'
import type { JwksEndpointPolicy } from './jwks-endpoint-policy.ts'
import { OutboundError } from './outbound-error.ts'

/** Reads the discovery document of an issuer. Throws `INVALID_FIELD`, which says why nothing can be taken from it. */
export type DiscoverSigner = (issuer: string) => Promise<DiscoveredSigner>

const JSON_TYPE = 'application/json'
/** More than this at once and the next caller has to come again. */
const MAX_AT_ONCE = 8

export function createDiscoverSigner(fetchDocument: FetchDocument, policy: JwksEndpointPolicy): DiscoverSigner {
  let working = 0

  const isAllowed = ({ href }: URL): boolean => policy.findProblem(href) === undefined

  const discover = async (issuer: string): Promise<DiscoveredSigner> => {
    const url = discoveryUrl(issuer)
    // Asked here too, since the fetch would speak of a field of signers, which the caller has not named.
    const problem = policy.findProblem(url)
    if (problem) throw invalidField('issuer', problem, issuer)
    const { body } = await fetchDocument(url, { accept: JSON_TYPE, mediaTypes: [JSON_TYPE] })
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
      if (error instanceof OutboundError) throw invalidField('issuer', error.message, issuer)
      throw error
    } finally {
      working--
    }
  }
}
