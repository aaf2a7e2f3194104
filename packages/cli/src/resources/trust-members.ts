import { type Field, isSecurityMember, isSetting, listFields, type Members } from '@countersign/contract/resource'

/** A member that decides whom an item logs in, or that helps to decide whether to trust the item. */
export interface TrustMember {
  /** As in responses: `sharedSignals`. */
  readonly path: string
  /** Undefined for a member without a default, which is always shown. */
  readonly default: unknown
  /** Whether the value is certificates in PEM. */
  readonly isPem: boolean
}

/** Read-only members that help to decide. */
const SHOWN_TOO: ReadonlySet<string> = new Set(['fingerprint', 'isVerified', 'jwksAuthorizationSet'])

/** The members of a resource that are shown before it is trusted, in the order of responses. */
export function deriveTrustMembers(members: Members): TrustMember[] {
  return listFields(members).flatMap(([path, field]) => {
    const isShown = SHOWN_TOO.has(path) || (isSecurityMember(path) && isWritten(field))
    return isShown ? [{ path, default: field.notes.default, isPem: isFile(field) }] : []
  })
}

function isWritten(field: Field): boolean {
  return isSetting(field) || field.notes.createOnly === true
}

/** Members that the command reads from a file are PEM. */
function isFile({ notes: { flag } }: Field): boolean {
  return typeof flag === 'object' && (flag.kind === 'file' || flag.kind === 'files')
}
