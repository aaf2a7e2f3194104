import { usageError } from '../cli-error.ts'
import type { ResourceKind } from './resource-kind.ts'

type Members = Readonly<Record<string, unknown>>

interface KnownMembers {
  /** The place that errors name. */
  readonly where: string
  readonly known: readonly string[]
  /** Members that do nothing and may be there all the same. */
  readonly passedOver?: readonly string[]
}

/**
 * Refuses members that do not exist, at any depth: the API passes over them, since clients send it whole answers back, so that a
 * slip of the pen would look as if it were done.
 */
export function checkMembers(
  { innerMembers }: Pick<ResourceKind, 'innerMembers'>,
  members: Members,
  { where, known, passedOver = [] }: KnownMembers,
): void {
  const check = (value: Members, path: string, names: readonly string[]) => {
    for (const [name, inner] of Object.entries(value)) {
      const member = path === '' ? name : `${path}.${name}`
      if (path === '' && passedOver.includes(name)) continue
      if (!names.includes(name)) {
        const hint = `members${path === '' ? '' : ` of ${path}`} are ${names.join(', ')}`
        throw usageError(`${where}: there is no member "${member}"`, hint)
      }
      const innerNames = innerMembers?.[member]
      if (innerNames && isObject(inner)) check(inner, member, innerNames)
    }
  }
  check(members, '', known)
}

/** The members that bodies may have. */
export function listTaken({ writable, alsoTaken = [] }: ResourceKind): readonly string[] {
  return [...writable, ...alsoTaken]
}

/** Of members that may be a whole answer of the API, those that can be written. Throws for what does not exist. */
export function pickTaken(
  kind: ResourceKind,
  members: Members,
  { where, known }: { readonly where: string; readonly known: readonly string[] },
): Record<string, unknown> {
  checkMembers(kind, members, { where, known, passedOver: kind.readOnly })
  return Object.fromEntries(Object.entries(members).filter(([name]) => known.includes(name)))
}

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
