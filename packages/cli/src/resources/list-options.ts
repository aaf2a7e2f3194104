import { usageError } from '../cli-error.ts'
import type { Call, Flag } from '../command.ts'
import { textFlag } from '../text-flag.ts'

/** The flags of every list. */
export const LIST_FLAGS: readonly Flag[] = [
  {
    name: 'filter',
    value: 'FILTER',
    description: 'Only items that match, such as \'name contains "a"\'; docs/api.md has the syntax',
  },
  { name: 'sort', value: 'MEMBERS', description: 'The order, such as "createdAt desc, name"' },
  { name: 'limit', value: 'N', description: 'At most N items' },
]

export interface ListOptions {
  readonly filter: string
  readonly sort: string | undefined
  readonly limit: number | undefined
}

/** The values of LIST_FLAGS. */
export function readListOptions({ flags }: Pick<Call, 'flags'>): ListOptions {
  return { filter: textFlag(flags, 'filter') ?? '', sort: textFlag(flags, 'sort'), limit: readLimit(flags.limit) }
}

function readLimit(given: Call['flags'][string]): number | undefined {
  if (given === undefined) return undefined
  const limit = Number(given)
  if (Number.isSafeInteger(limit) && limit > 0) return limit
  throw usageError('--limit must be a whole number above 0', `got "${String(given)}"`)
}
