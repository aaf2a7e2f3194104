import type { PermissionHolder } from '@countersign/contract/permission-rules'

/** Whether an administrator vouches for an entity that logs identities in, and who wrote its security members last. */
export interface Trust {
  readonly isTrusted: boolean
  /** Null for an entity that was last written by an earlier release. */
  readonly writtenById: string | null
  readonly writtenByName: string | null
  readonly writtenAt: number
}

/** Whether an identity is an administrator or holds permissions. */
export function hasRights({ isAdmin, permissions }: PermissionHolder): boolean {
  return isAdmin || permissions.length > 0
}

/**
 * Whether an entity may log an identity in. An administrator, or an identity with permissions, needs a trusted one: otherwise the permission to
 * write such entities would suffice to log in as an administrator.
 */
export function isTrustedFor({ isTrusted }: Pick<Trust, 'isTrusted'>, identity: PermissionHolder): boolean {
  return isTrusted || !hasRights(identity)
}

/** The writer of an entity. */
interface Writer {
  readonly id: string
  readonly name: string
  readonly isAdmin: boolean
}

/**
 * The trust after someone gave or confirmed keys. Keys that an administrator has pinned are accepted from every caller that can give some; others
 * are trusted as their giver is. No keys give trust back: a job with administrator rights that pushes them has not seen what another writer changed.
 */
export function trustAfterKeys(current: Trust, writer: Writer, now: number, isPinned: boolean): Trust {
  const keepsTrust = writer.isAdmin ? !current.isTrusted : isPinned
  return keepsTrust ? current : trustAfterWrite(writer, now)
}

/** The trust after a write of a security member. */
export function trustAfterWrite({ id, name, isAdmin }: Writer, now: number): Trust {
  return { isTrusted: isAdmin, writtenById: id, writtenByName: name, writtenAt: now }
}
