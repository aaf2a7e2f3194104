import type { AdministrationKind, AdministrationSecret } from '@countersign/contract'
import {
  administrationSecret,
  checkClientIdClaim,
  checkOwnAudience,
  checkQuota,
  fieldError,
  type ProviderSettings,
  validateProvider,
} from '@countersign/core'
import { operation } from '../../store/operation.ts'
import type { OwnedKey } from '../../store/owned-key.ts'
import { countProviders } from '../../store/reads/provider-reads.ts'
import { loadQuotas } from '../../store/reads/quota-reads.ts'
import { insertProvider } from '../../store/writes/provider-writes.ts'
import { checkTargetOrganization } from '../organization/target-organization.ts'

/** A secret of an administration, sealed; null removes the stored one. */
export interface GivenSecret {
  readonly member: AdministrationSecret
  readonly sealed: string | null
}

export interface WriteProvider extends OwnedKey {
  readonly provider: ProviderSettings
  readonly secret?: GivenSecret | undefined
}

export const createProvider = operation({
  name: 'identityProvider.create',
  access: { hosted: 'admin' },
  async run(tx, { provider, secret, ...key }: WriteProvider): Promise<void> {
    await checkTargetOrganization(tx, key.organizationId)
    validateProvider(provider)
    checkOwnAudience(key.organizationId, provider)
    checkClientIdClaim(provider)
    checkQuota(
      'providers',
      await countProviders(tx.db, key.organizationId),
      await loadQuotas(tx.db, key.organizationId),
    )
    checkSecret(provider, secret)
    await insertProvider(tx, key, provider, secret?.sealed ?? null)
  },
})

/** Throws for a secret of another kind than the record's administration has. */
export function checkSecret(provider: ProviderSettings, secret: GivenSecret | undefined): void {
  if (!secret || secret.sealed === null || isSecretOf(provider, secret)) return
  const field = secret.member === 'registrationToken' ? secret.member : `administration.${secret.member}`
  throw fieldError(field, `an administration of the kind ${kindOf(provider)} has no ${secret.member}`, '')
}

/** Whether it is a secret of the record's administration. An empty one of another kind removes nothing. */
export function isSecretOf(provider: ProviderSettings, { member }: GivenSecret): boolean {
  return administrationSecret(kindOf(provider)) === member
}

/** A record without an administration may get its registration endpoint later. */
function kindOf({ administration }: ProviderSettings): AdministrationKind {
  return administration?.kind ?? 'rfc7591'
}
