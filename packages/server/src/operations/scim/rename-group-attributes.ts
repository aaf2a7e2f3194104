import { groupAttribute, type SignerSettings } from '@countersign/core'
import { loadScimGroups } from '../../store/reads/scim-group-reads.ts'
import type { StoredSigner } from '../../store/signer-row.ts'
import type { Transaction } from '../../store/transaction.ts'
import { renameGroupAttribute } from '../../store/writes/scim-group-writes.ts'

/** Gives the members of all groups of a signer the attributes of a new template. The change of the signer is reported by the caller. */
export async function renameGroupAttributes(
  tx: Transaction,
  { id }: Pick<StoredSigner, 'id'>,
  { scimGroupAttributeTemplate: template }: Pick<SignerSettings, 'scimGroupAttributeTemplate'>,
): Promise<void> {
  for (const group of await loadScimGroups(tx.db, id)) {
    const attribute = groupAttribute(template, group)
    if (attribute !== group.attribute) await renameGroupAttribute(tx, id, group, attribute)
  }
}
