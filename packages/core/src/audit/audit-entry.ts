import { hash } from 'node:crypto'
import { canonicalJson } from './canonical-json.ts'

/** What an entry of the audit record says. Every member is part of its hash. */
export interface AuditContent {
  readonly actorId: string | null
  readonly actorName: string | null
  /** The operation, such as `identity.disable`, or `login.refused`. */
  readonly action: string
  readonly change: string | null
  readonly objectKind: string | null
  readonly objectId: string | null
  readonly objectName: string | null
  readonly requestId: string | null
  readonly address: string | null
  readonly before: unknown
  readonly after: unknown
}

/** The names of what an entry says, as opposed to its place in the chain. */
export const AUDIT_CONTENT = [
  'actorId',
  'actorName',
  'action',
  'change',
  'objectKind',
  'objectId',
  'objectName',
  'requestId',
  'address',
  'before',
  'after',
] as const satisfies readonly (keyof AuditContent)[]

/** Where tokens and passwords are decided upon: the first part of the actions of entries that are decisions. */
export type DecisionChannel = 'login' | 'enrollment' | 'provider-message'

/** The actions of entries that are decisions: what they say of an object is not its state. */
export const DECISION_ACTIONS = (['login', 'enrollment', 'provider-message'] satisfies DecisionChannel[]).flatMap(
  (channel) => [`${channel}.accepted`, `${channel}.refused`] as const,
)

/** Entries of other organizations than the controller's are shown by their hashes only. */
export type AuditScope = 'controller' | 'organization'

/** The place of an entry in the chain of its node. */
export interface AuditLink {
  readonly id: string
  /** RFC 3339, with milliseconds. */
  readonly at: string
  readonly node: string
  /** From 1, without gaps. */
  readonly sequence: number
  readonly previousHash: string
  readonly scope: AuditScope
  /** Of the content. */
  readonly contentHash: string
  readonly hash: string
}

/** The end of a chain: what the first entry of a node follows. */
export const NO_ENTRY_HASH = '0'.repeat(64)

const sha256 = (text: string): string => hash('sha256', text, 'hex')

export function auditContentHash(content: AuditContent): string {
  return sha256(canonicalJson(content))
}

/** The hash of an entry, which the next one holds. */
export function auditEntryHash(link: Omit<AuditLink, 'hash'>): string {
  const { id, at, node, sequence, previousHash, scope, contentHash } = link
  return sha256(canonicalJson({ id, at, node, sequence, previousHash, scope, contentHash }))
}

/** The place of the next entry after another one of its node. */
export function nextAuditLink(
  { node, sequence, hash: previousHash }: Pick<AuditLink, 'node' | 'sequence' | 'hash'>,
  { id, at, scope, content }: Pick<AuditLink, 'id' | 'at' | 'scope'> & { readonly content: AuditContent },
): AuditLink {
  const contentHash = auditContentHash(content)
  const link = { id, at, node, sequence: sequence + 1, previousHash, scope, contentHash }
  return { ...link, hash: auditEntryHash(link) }
}
