import {
  fieldError,
  isBelowIssuer,
  isIssuersAdministration,
  type JsonObject,
  providerProfile,
  readJws,
  type VerifiedTokenCache,
} from '@countersign/core'
import { BY_OPERATOR, type ClientBinding } from '../operations/api-account/client-binding.ts'
import type { DiscoverProvider } from '../outbound/discover-provider.ts'
import type { StoredProvider } from '../store/provider-row.ts'
import type { TokenVerifier } from '../token/token-verifier.ts'
import type { HostedCaller } from './hosted-caller.ts'
import type { LocalOrganization } from './local-organization.ts'
import { directoryProvider, findRecordSigner } from './provider-directory.ts'

/** The client that an account is to have: an existing one, or a new one when `clientId` is undefined. */
export interface WantedClient {
  readonly clientId: string | undefined
  readonly proofToken: string | undefined
}

/** Establishes that a client may be bound to an account. Throws COULD_NOT_VALIDATE when it may not. */
export type BindClient = (provider: StoredProvider, client: WantedClient) => Promise<ClientBinding>

/** For the operator of the controller, who is trusted to know the clients of each organization. */
export const bindAsOperator: BindClient = async ({ revision }, { clientId }) =>
  clientId === undefined ? { by: 'registration', revision } : BY_OPERATOR

interface ClientBindingsParts {
  readonly localOrganization: LocalOrganization
  readonly discoverProvider: DiscoverProvider
  readonly verifier: Pick<TokenVerifier, 'verifyWith'>
  readonly cache: VerifiedTokenCache
}

/**
 * Decides which clients an organization can use. Client ids are public, and each names one account in all organizations. So an organization
 * other than the operator's proves by a token that a client is its own, and only keys and registrations of the issuer itself count.
 */
export class ClientBindings {
  readonly #parts: ClientBindingsParts

  constructor(parts: ClientBindingsParts) {
    this.#parts = parts
  }

  async of(caller: HostedCaller): Promise<BindClient> {
    return this.#bindAs(await this.#parts.localOrganization.isOperator(caller))
  }

  /** For the controller itself, on behalf of an organization. */
  async ofOrganization(organizationId: string): Promise<BindClient> {
    return this.#bindAs(organizationId === (await this.#parts.localOrganization.id()))
  }

  #bindAs(isOperator: boolean): BindClient {
    return async (provider, client) => {
      const { clientId, proofToken } = client
      if (isOperator && !proofToken) return bindAsOperator(provider, client)
      const { revision } = provider
      if (clientId === undefined) {
        if (!isOperator) await this.#checkOwnAdministration(provider)
        return { by: 'registration', revision }
      }
      if (!proofToken) throw fieldError('proofToken', 'proofToken is required: a token of the client', undefined)
      if (!isOperator) await this.#checkOwnEndpoint(provider, 'jwksUri', provider.jwksUri)
      const claims = await this.#verify(provider, clientId, proofToken)
      if (!isOperator) checkIsOfMachine(provider, claims)
      return { by: 'proof', revision, claims }
    }
  }

  /** Throws when another party than the issuer may respond as its administration API: it could name any client. */
  async #checkOwnAdministration(provider: StoredProvider): Promise<void> {
    const { administration } = provider
    if (administration === null || administration.kind === 'manual') return
    if (administration.kind === 'rfc7591') {
      await this.#checkOwnEndpoint(provider, 'registrationUrl', administration.registrationUrl ?? null)
    } else if (!isIssuersAdministration(provider)) {
      const reason = 'administration.url of the provider must be the address of the issuer itself'
      throw fieldError('administration.url', reason, administration.url)
    }
  }

  /** Throws when another party than the issuer may answer at this URL of the record. */
  async #checkOwnEndpoint(
    { organizationId, issuer }: StoredProvider,
    field: 'jwksUri' | 'registrationUrl',
    url: string | null,
  ): Promise<void> {
    if (url === null || isBelowIssuer(issuer, url)) return
    const discovered = await this.#parts.discoverProvider(organizationId, issuer, undefined)
    if (discovered[field] === url) return
    const reason = `${field} of the provider must be below its issuer or in the issuer's discovery document`
    throw fieldError(field, reason, url)
  }

  async #verify(provider: StoredProvider, clientId: string, proofToken: string): Promise<JsonObject> {
    const { verifier, cache } = this.#parts
    const reading = readJws(proofToken, cache)
    const refuse = (reason: string) => fieldError('proofToken', `proofToken ${reason}`, undefined)
    if (!reading.ok) throw refuse('is not a JWT')
    const record = directoryProvider(provider)
    const signer = findRecordSigner(record, reading.jws)
    if (!signer) throw refuse('has no client id')
    const verdict = await verifier.verifyWith({ stored: record.keySigner, verify: signer }, reading.jws, true)
    if (!verdict.accepted) throw refuse(`is refused: ${verdict.reason}`)
    if (verdict.token.identityClaim !== clientId) throw refuse('is not a token of this client')
    return verdict.token.claims
  }
}

/** Throws for a token that may be a user's: each user of an application has tokens with its client id. */
function checkIsOfMachine({ kind, issuer }: StoredProvider, claims: JsonObject): void {
  const unmet = providerProfile(kind, issuer).proofRules?.find((rule) => !rule.holds(claims))
  if (!unmet) return
  throw fieldError('proofToken', `proofToken may be a token of a user: expected ${unmet.expected}`, undefined)
}
