import { randomUUID } from 'node:crypto'
import type { IdentityProviderPatch, IdentityProviderWrite } from '@countersign/contract'
import { fieldError, type ProviderSettings, providerFromBody } from '@countersign/core'
import { createProvider } from '../operations/identity-provider/create-provider.ts'
import { patchProvider, replaceProvider } from '../operations/identity-provider/update-provider.ts'
import type { DiscoverProvider } from '../outbound/discover-provider.ts'
import type { JwksEndpointPolicy } from '../outbound/jwks-endpoint-policy.ts'
import type { Sealing } from '../platform/keys/sealing.ts'
import type { OperationMeta } from '../store/operation-meta.ts'
import type { OwnedKey } from '../store/owned-key.ts'
import { getProvider } from '../store/reads/provider-reads.ts'
import { checkVersion } from '../store/row-version.ts'
import type { Store } from '../store/store.ts'
import { sealRegistrationToken } from './account-clients.ts'

export interface ProviderRecordsParts {
  readonly store: Pick<Store, 'db' | 'run'>
  readonly jwksPolicy: Pick<JwksEndpointPolicy, 'findRefusal'>
  readonly sealing: Sealing
  readonly discoverProvider: DiscoverProvider
}

/** The URLs that this controller requests. The rules for signer JWKS endpoints apply. */
const FETCHED_URLS = ['discoveryUrl', 'jwksUri', 'registrationUrl'] as const
type FetchedUrls = Partial<Pick<ProviderSettings, (typeof FETCHED_URLS)[number]>>

/**
 * Writes the identity providers that an organization trusts. Members missing from the body are read from the provider's discovery document.
 * Throws COULD_NOT_VALIDATE for a URL that the outbound policy refuses.
 */
export class ProviderRecords {
  readonly #parts: ProviderRecordsParts

  constructor(parts: ProviderRecordsParts) {
    this.#parts = parts
  }

  /** Returns the id of the new record. */
  async create(organizationId: string, body: IdentityProviderWrite, meta: OperationMeta): Promise<string> {
    const id = randomUUID()
    const provider = await this.#complete(organizationId, body)
    const args = { id, organizationId, provider, sealedRegistrationToken: this.#sealToken(id, body) }
    await this.#parts.store.run(createProvider, args, meta)
    return id
  }

  async replace({ id, organizationId }: OwnedKey, body: IdentityProviderWrite, meta: OperationMeta): Promise<void> {
    // Before discovery: nothing is fetched for a record that does not exist or has changed.
    checkVersion((await getProvider(this.#parts.store.db, organizationId, id)).updatedAt, meta.ifMatch)
    const provider = await this.#complete(organizationId, body)
    const args = { id, organizationId, provider, sealedRegistrationToken: this.#sealToken(id, body) }
    await this.#parts.store.run(replaceProvider, args, meta)
  }

  async patch({ id, organizationId }: OwnedKey, patch: IdentityProviderPatch, meta: OperationMeta): Promise<void> {
    this.#checkUrls(patch)
    const args = { id, organizationId, patch, sealedRegistrationToken: this.#sealToken(id, patch) }
    await this.#parts.store.run(patchProvider, args, meta)
  }

  async #complete(organizationId: string, body: IdentityProviderWrite): Promise<ProviderSettings> {
    const isComplete = body.jwksUri && (body.kind !== 'oidc' || body.tokenUrl)
    const discovered = isComplete
      ? {}
      : await this.#parts.discoverProvider(organizationId, body.issuer, body.discoveryUrl)
    const provider = providerFromBody(body, discovered)
    this.#checkUrls(provider)
    return provider
  }

  #checkUrls(provider: FetchedUrls): void {
    for (const field of FETCHED_URLS) {
      const url = provider[field]
      const refusal = url ? this.#parts.jwksPolicy.findRefusal(url) : undefined
      if (refusal) throw fieldError(field, refusal, url)
    }
  }

  /** Returns undefined to keep the stored token, null (for an empty token) to remove it. */
  #sealToken(id: string, { registrationToken }: { readonly registrationToken?: string | undefined }) {
    if (registrationToken === undefined) return undefined
    return registrationToken === '' ? null : sealRegistrationToken(this.#parts.sealing, id, registrationToken)
  }
}
