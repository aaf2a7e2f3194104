import { operation } from '../../store/operation.ts'
import type { OwnedKey } from '../../store/owned-key.ts'
import { getProvider } from '../../store/reads/provider-reads.ts'

/** Records that the administration of a provider is tested, which is an audit event of its organization. */
export const noteProviderTest = operation({
  name: 'identityProvider.noteTest',
  access: { hosted: 'admin' },
  async run(tx, { id, organizationId }: OwnedKey): Promise<void> {
    await getProvider(tx.db, organizationId, id)
    tx.changed({ entity: 'identityProviders', id, action: 'tested' })
  },
})
