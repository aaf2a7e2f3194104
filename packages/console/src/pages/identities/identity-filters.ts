import { quoteForFilter } from '@countersign/sdk'
import { controller } from '../../api/client.ts'
import { MANAGEMENT } from '../../api/paths.ts'
import { searchFilter } from '../../api/search-filter.ts'
import {
  type ChoiceFilter,
  choiceFilter,
  datetime,
  type FilterChoice,
  type TextFilter,
} from '../../list/list-filter.ts'

const DAY_MS = 86_400_000
const SOON_DAYS = 30

const isDisabled = (now: number) => `disabledAt != null and (disabledUntil = null or disabledUntil > ${datetime(now)})`
const isEnabled = (now: number) => `disabledAt = null or disabledUntil <= ${datetime(now)}`

export const STATE_FILTER = choiceFilter('state', 'State', [
  {
    value: 'enabled',
    label: 'Enabled',
    filter: (now) => `(${isEnabled(now)}) and (expiresAt = null or expiresAt > ${datetime(now)})`,
  },
  { value: 'disabled', label: 'Disabled', filter: isDisabled },
  { value: 'administrator', label: 'Administrators', filter: () => 'isAdmin = true' },
])

/** By the end of access, and by the certificates. */
export const EXPIRY_FILTER = choiceFilter('expiry', 'Expiring', [
  { value: 'ending', label: 'Access ends within 30 days', filter: (now) => within('expiresAt', now, SOON_DAYS) },
  { value: 'expired', label: 'Access has ended', filter: (now) => `expiresAt <= ${datetime(now)}` },
  ...[7, SOON_DAYS].map((days) => ({
    value: `certificate-${days}`,
    label: `Certificate expires within ${days} days`,
    filter: (now: number) => `certificateExpiresAt <= ${datetime(now + days * DAY_MS)}`,
  })),
  {
    value: 'certificate-expired',
    label: 'No valid certificate left',
    filter: () => 'anyOf(authenticators) = "cert" and certificateExpiresAt = null',
  },
])

const ENROLLED: readonly FilterChoice[] = [
  {
    value: 'never',
    label: 'Never enrolled',
    // People who sign in at a provider have neither certificate nor password.
    filter: () => 'isEmpty(authenticators) and lastLoginAt = null',
  },
  { value: 'certificate', label: 'Has a certificate', filter: () => 'anyOf(authenticators) = "cert"' },
  { value: 'password', label: 'Has a password', filter: () => 'anyOf(authenticators) = "updb"' },
]

const INVITED: readonly FilterChoice[] = [
  { value: 'invited', label: 'Invited', filter: (now) => `enrollmentExpiresAt > ${datetime(now)}` },
  { value: 'ending', label: 'Invitation expires within a day', filter: (now) => within('enrollmentExpiresAt', now, 1) },
  { value: 'lapsed', label: 'Invitation expired', filter: (now) => `enrollmentExpiresAt <= ${datetime(now)}` },
]

/** Only those that read everything can filter by invitations. */
export function enrollmentFilter(readsEverything: boolean): ChoiceFilter {
  return choiceFilter('enrollment', 'Enrollment', [...ENROLLED, ...(readsEverything ? INVITED : [])])
}

export const LOGIN_FILTER = choiceFilter('login', 'Last login', [
  { value: 'never', label: 'Never', filter: () => 'lastLoginAt = null' },
  { value: 'week', label: 'In the last 7 days', filter: (now) => `lastLoginAt > ${datetime(now - 7 * DAY_MS)}` },
  ...[30, 90].map((days) => ({
    value: `older-${days}`,
    label: `Not for ${days} days`,
    filter: (now: number) => `lastLoginAt <= ${datetime(now - days * DAY_MS)}`,
  })),
])

const MAX_SUGGESTIONS = 20

export const ATTRIBUTE_FILTER: TextFilter = {
  kind: 'text',
  name: 'attribute',
  label: 'Attribute',
  toFilter: (value) => `anyOf(attributes) = ${quoteForFilter(value)}`,
  suggest: async (text) => {
    const query = { limit: MAX_SUGGESTIONS, filter: searchFilter(['id'], text) }
    const path = `${MANAGEMENT}/identity-role-attributes`
    const { data } = (await controller.request({ method: 'GET', path, query })) as { readonly data: readonly string[] }
    return data
  },
}

function within(field: string, now: number, days: number): string {
  return `${field} > ${datetime(now)} and ${field} <= ${datetime(now + days * DAY_MS)}`
}
