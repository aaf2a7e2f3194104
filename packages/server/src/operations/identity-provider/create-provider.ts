import { AppError, checkClientIdClaim, type ProviderSettings, validateProvider } from '@countersign/core'
import { operation } from '../../store/operation.ts'
import type { OwnedKey } from '../../store/owned-key.ts'
import { countProviders } from '../../store/reads/provider-reads.ts'
import type { Transaction } from '../../store/transaction.ts'
import { insertProvider } from '../../store/writes/provider-writes.ts'
import { checkTargetOrganization } from '../organization/target-organization.ts'

/** The keys of every record are fetched again and again. */
const MAX_PROVIDERS = 50

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
    await checkQuota(tx, key.organizationId)
    await insertProvider(tx, key, provider, sealedRegistrationToken)
  },
})

async function checkQuota({ db }: Transaction, organizationId: string): Promise<void> {
  if ((await countProviders(db, organizationId)) < MAX_PROVIDERS) return
  const message = `an organization can have at most ${MAX_PROVIDERS} identity providers: delete one first`
  throw new AppError('INVALID_FIELD', { message })
}
