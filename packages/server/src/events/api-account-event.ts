import type { ApiAccountEvent } from './controller-event.ts'

interface UnusedAccount {
  readonly id: string
  readonly name: string
  readonly organizationId: string
  readonly usedAt: number | null
}

/** An API account was not used for `days` days. */
export function unusedAccountEvent({ id, name, organizationId, usedAt }: UnusedAccount, days: number): ApiAccountEvent {
  return {
    namespace: 'apiAccount',
    event_type: 'unused',
    api_account_id: id,
    api_account_name: name,
    organization_id: organizationId,
    last_used_at: usedAt === null ? '' : new Date(usedAt).toISOString(),
    message: `the API account was not used for ${days} days: disable or delete it`,
  }
}
