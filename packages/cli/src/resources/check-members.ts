import { usageError } from '../cli-error.ts'
import type { ResourceDescription } from './resource-kind.ts'

type Members = Readonly<Record<string, unknown>>

interface KnownMembers {
  /** The source that errors name. */
  readonly where: string
  readonly known: readonly string[]
  /** Members that are ignored. */
  readonly ignored?: readonly string[]
}

/**
 * Refuses unknown members, at any depth. The API ignores them, because clients send whole responses back, so that a typo would look
 * successful.
 */
export function checkMembers(
  { innerMembers }: Pick<ResourceDescription, 'innerMembers'>,
  members: Members,
  { where, known, ignored = [] }: KnownMembers,
): void {
  const check = (value: Members, path: string, names: readonly string[]) => {
    for (const [name, inner] of Object.entries(value)) {
      const member = path === '' ? name : `${path}.${name}`
      if (path === '' && ignored.includes(name)) continue
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

/** The members that request bodies can have. */
export function listAccepted({ writable, alsoAccepted = [] }: ResourceDescription): readonly string[] {
  return [...writable, ...alsoAccepted]
}

/** The writable members of what can be a whole response of the API. Throws for unknown members. */
export function pickAccepted(
  kind: ResourceDescription,
  members: Members,
  { where, known }: { readonly where: string; readonly known: readonly string[] },
): Record<string, unknown> {
  checkMembers(kind, members, { where, known, ignored: kind.readOnly })
  return Object.fromEntries(Object.entries(members).filter(([name]) => known.includes(name)))
}

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
