import { randomUUID } from 'node:crypto'
import { ADMINISTRATION_SECRETS, type IdentityProviderPatch, type IdentityProviderWrite } from '@countersign/contract'
import {
  type AdministrationSecret,
  administrationSecret,
  type DiscoveredProvider,
  fieldError,
  organizationAudience,
  providerFromBody,
} from '@countersign/core'
import { createProvider, type GivenSecret } from '../operations/identity-provider/create-provider.ts'
import { patchProvider, replaceProvider } from '../operations/identity-provider/update-provider.ts'
import type { DiscoverProvider } from '../outbound/discover-provider.ts'
import type { JwksEndpointPolicy } from '../outbound/jwks-endpoint-policy.ts'
import type { Sealing } from '../platform/keys/sealing.ts'
import type { OperationMeta } from '../store/operation-meta.ts'
import type { OwnedKey } from '../store/owned-key.ts'
import { getProvider } from '../store/reads/provider-reads.ts'
import { checkVersion } from '../store/row-version.ts'
import type { Store } from '../store/store.ts'
import { sealAdministrationSecret } from './account-clients.ts'

export interface ProviderRecordsParts {
  readonly store: Pick<Store, 'db' | 'run'>
  readonly jwksPolicy: Pick<JwksEndpointPolicy, 'findRefusal'>
  readonly sealing: Sealing
  readonly discoverProvider: DiscoverProvider
}

/** The URLs that this controller requests. The rules for signer JWKS endpoints apply. */
const FETCHED_URLS = ['discoveryUrl', 'jwksUri', 'registrationUrl'] as const
const ADMINISTRATION_URLS = ['registrationUrl', 'url'] as const

type Body = IdentityProviderWrite | IdentityProviderPatch

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
    this.#checkUrls(body)
    const provider = providerFromBody(
      body,
      await this.#discover(organizationId, body),
      organizationAudience(organizationId),
    )
    const args = { id, organizationId, provider, secret: this.#sealSecret(id, body) }
    await this.#parts.store.run(createProvider, args, meta)
    return id
  }

  async replace({ id, organizationId }: OwnedKey, body: IdentityProviderWrite, meta: OperationMeta): Promise<void> {
    // Before discovery: nothing is fetched for a record that does not exist or has changed.
    checkVersion((await getProvider(this.#parts.store.db, organizationId, id)).updatedAt, meta.ifMatch)
    this.#checkUrls(body)
    const discovered = await this.#discover(organizationId, body)
    const args = { id, organizationId, body, discovered, secret: this.#sealSecret(id, body) }
    await this.#parts.store.run(replaceProvider, args, meta)
  }

  async patch({ id, organizationId }: OwnedKey, patch: IdentityProviderPatch, meta: OperationMeta): Promise<void> {
    this.#checkUrls(patch)
    const args = { id, organizationId, patch, secret: this.#sealSecret(id, patch) }
    await this.#parts.store.run(patchProvider, args, meta)
  }

  async #discover(organizationId: string, body: IdentityProviderWrite): Promise<DiscoveredProvider> {
    const isComplete = body.jwksUri && (body.kind !== 'oidc' || body.tokenUrl)
    return isComplete ? {} : this.#parts.discoverProvider(organizationId, body.issuer, body.discoveryUrl)
  }

  #checkUrls(body: Body): void {
    for (const field of FETCHED_URLS) this.#checkUrl(field, body[field])
    for (const field of ADMINISTRATION_URLS) this.#checkUrl(`administration.${field}`, body.administration?.[field])
  }

  #checkUrl(field: string, url: string | undefined): void {
    const refusal = url ? this.#parts.jwksPolicy.findRefusal(url) : undefined
    if (refusal) throw fieldError(field, refusal, url)
  }

  /** Returns undefined to keep the stored secret. An empty one removes it. */
  #sealSecret(id: string, { administration, registrationToken }: Body): GivenSecret | undefined {
    const member = administration ? administrationSecret(administration.kind) : undefined
    const given = member && administration?.[member]
    if (member && given !== undefined) return this.#seal(id, member, given)
    checkNoOtherSecret(administration)
    return registrationToken === undefined ? undefined : this.#seal(id, 'registrationToken', registrationToken)
  }

  #seal(id: string, member: AdministrationSecret, secret: string): GivenSecret {
    return { member, sealed: secret === '' ? null : sealAdministrationSecret(this.#parts.sealing, id, secret) }
  }
}

/** Throws for a secret that the kind does not have: it would silently not be stored. */
function checkNoOtherSecret(administration: Body['administration']): void {
  const other = ADMINISTRATION_SECRETS.find((member) => administration?.[member])
  if (other === undefined || !administration) return
  throw fieldError(
    `administration.${other}`,
    `an administration of the kind ${administration.kind} has no ${other}`,
    '',
  )
}
