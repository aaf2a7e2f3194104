import { AppError } from '@countersign/core'
import { notFound } from '../store/not-found.ts'
import { hasAccounts } from '../store/reads/account-reads.ts'
import { findOrganization } from '../store/reads/organization-reads.ts'
import type { Store } from '../store/store.ts'
import type { HostedCaller } from './hosted-caller.ts'
import type { LocalOrganization } from './local-organization.ts'

/**
 * The organization that something is made in: the caller's own. An administrator of the organization that owns this controller may also
 * name one that has no API account yet, since somebody has to set it up; from its first account on it is nobody's but its own.
 */
export function createTargetOrganization({ db }: Store, localOrganization: LocalOrganization) {
  return async ({ organizationId, role }: HostedCaller, wanted: string | undefined): Promise<string> => {
    if (!wanted || wanted === organizationId) return organizationId
    if (role !== 'admin') throw new AppError('FORBIDDEN')
    const isOperator = organizationId === (await localOrganization())
    const organization = isOperator ? await findOrganization(db, wanted) : undefined
    if (!organization || (await hasAccounts(db, wanted))) throw notFound('organization', wanted)
    return organization.id
  }
}

export type TargetOrganization = ReturnType<typeof createTargetOrganization>
