import { checkClientIdClaim, type ProviderSettings, validateProvider } from '@countersign/core'
import { operation } from '../../store/operation.ts'
import type { OwnedKey } from '../../store/owned-key.ts'
import { insertProvider } from '../../store/writes/provider-writes.ts'

export interface SealedRegistrationToken {
  /** The initial access token for client registration at the provider; undefined leaves it as it is, null removes it. */
  readonly sealedRegistrationToken?: string | null | undefined
}

export interface WriteProvider extends OwnedKey, SealedRegistrationToken {
  readonly provider: ProviderSettings
}

export const createProvider = operation({
  name: 'identityProvider.create',
  access: { hosted: 'admin' },
  target: 'identityProviders',
  async run(tx, { provider, sealedRegistrationToken = null, ...key }: WriteProvider): Promise<void> {
    validateProvider(provider)
    checkClientIdClaim(provider)
    await insertProvider(tx, key, provider, sealedRegistrationToken)
  },
})
