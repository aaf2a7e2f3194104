import { choiceFilter, datetime } from '../../list/list-filter.ts'

const SOON_MS = 30 * 86_400_000

/** By the end of access. */
export const EXPIRY_FILTER = choiceFilter('expiry', 'End of access', [
  {
    value: 'ending',
    label: 'Ending within 30 days',
    filter: (now) => `expiresAt > ${datetime(now)} and expiresAt <= ${datetime(now + SOON_MS)}`,
  },
  { value: 'expired', label: 'Expired', filter: (now) => `expiresAt <= ${datetime(now)}` },
])
