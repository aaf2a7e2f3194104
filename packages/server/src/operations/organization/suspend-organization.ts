import { AppError, checkPlainText } from '@countersign/core'
import { operation } from '../../store/operation.ts'
import { getOrganization } from '../../store/reads/organization-reads.ts'
import { endSessionsOfAccounts } from '../../store/writes/end-sessions.ts'
import { setSuspension } from '../../store/writes/organization-writes.ts'

export interface SuspendOrganization {
  readonly id: string
  /** For the organization's accounts, which are refused with it. */
  readonly reason: string | null
}

/** Suspends an organization: its accounts are refused, their sessions end, and the keys of its identity providers are no longer fetched. */
export const suspendOrganization = operation({
  name: 'organization.suspend',
  access: { hosted: 'operator' },
  target: 'organizations',
  async run(tx, { id, reason }: SuspendOrganization): Promise<void> {
    const { is_local: isLocal, suspended_at: since } = await getOrganization(tx.db, id)
    if (isLocal) {
      const message = 'the organization that owns this controller cannot be suspended'
      throw new AppError('ENTITY_CAN_NOT_BE_UPDATED', { message })
    }
    if (reason !== null) checkPlainText('reason', reason)
    await endSessionsOfAccounts(tx, { organizationId: id })
    await setSuspension(tx, id, { at: since ?? tx.now, reason })
  },
})

/** Ends a suspension. Tokens are accepted again; sessions that ended stay ended. Does nothing for an active organization. */
export const resumeOrganization = operation({
  name: 'organization.resume',
  access: { hosted: 'operator' },
  target: 'organizations',
  async run(tx, { id }: { readonly id: string }): Promise<void> {
    const { active } = await getOrganization(tx.db, id)
    if (!active) await setSuspension(tx, id, null)
  },
})
