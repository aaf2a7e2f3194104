import { checkClientIdClaim, checkQuota, type ProviderSettings, validateProvider } from '@countersign/core'
import { operation } from '../../store/operation.ts'
import type { OwnedKey } from '../../store/owned-key.ts'
import { countProviders } from '../../store/reads/provider-reads.ts'
import { loadQuotas } from '../../store/reads/quota-reads.ts'
import { insertProvider } from '../../store/writes/provider-writes.ts'
import { checkTargetOrganization } from '../organization/target-organization.ts'

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
  async run(tx, { provider, sealedRegistrationToken = null, ...key }: WriteProvider): Promise<void> {
    await checkTargetOrganization(tx, key.organizationId)
    validateProvider(provider)
    checkClientIdClaim(provider)
    checkQuota(
      'providers',
      await countProviders(tx.db, key.organizationId),
      await loadQuotas(tx.db, key.organizationId),
    )
    await insertProvider(tx, key, provider, sealedRegistrationToken)
  },
})
