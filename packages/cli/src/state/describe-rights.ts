import { IDENTITIES } from '../resources/kinds.ts'
import type { Step } from './plan.ts'

/** By member of an identity: the rights that its new value gives. */
const RIGHTS: Readonly<Record<string, (before: unknown, after: unknown) => string | undefined>> = {
  isAdmin: (before, after) => (after === true && before !== true ? 'becomes an administrator' : undefined),
  permissions: (before, after) => {
    const [held, next] = [before, after].map((value) => (Array.isArray(value) ? value : []))
    const gained = (next ?? []).filter((permission) => !held?.includes(permission))
    return gained.length === 0 ? undefined : `gains ${gained.join(', ')}`
  },
}

/** The rights that an update gives an existing identity, by member. */
export function describeRights({ kind, existing, members }: Step): ReadonlyMap<string, string> {
  if (kind !== IDENTITIES || !existing) return new Map()
  return new Map(
    Object.entries(RIGHTS).flatMap(([member, describe]) => {
      const text = member in members ? describe(existing[member], members[member]) : undefined
      return text === undefined ? [] : [[member, text] as const]
    }),
  )
}
