import { fieldError } from '../app-error.ts'

/** What one organization may have of each kind. All organizations share a database, and every list of these is read as a whole. */
export const ORGANIZATION_QUOTAS = { networks: 1_000, 'API accounts': 1_000 } as const

/** Throws COULD_NOT_VALIDATE when an organization that has `count` of a kind may not have one more. */
export function checkQuota(kind: keyof typeof ORGANIZATION_QUOTAS, count: number): void {
  const most = ORGANIZATION_QUOTAS[kind]
  if (count < most) return
  throw fieldError('organizationId', `the organization has ${most} ${kind}, the most that are allowed`, '')
}

/** The clients that one API account may have: the current one, and replaced ones that are not removed yet. Every rotation writes all of them. */
export const ACCOUNT_CLIENT_QUOTA = 20

/** Throws COULD_NOT_VALIDATE when an API account that has `count` clients may not have one more. */
export function checkClientQuota(count: number): void {
  if (count < ACCOUNT_CLIENT_QUOTA) return
  const reason = `the account has ${count} clients, the most that are allowed: retry when earlier ones have been removed, after their overlap`
  throw fieldError('clientId', reason, '')
}
