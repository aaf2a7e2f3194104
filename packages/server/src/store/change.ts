import type { RevocationCause } from '@countersign/core'
import type { OperationMeta } from './operation-meta.ts'

/** What a committed write changed. Caches follow these; a node that missed some receives `everything`. */
export interface Change {
  readonly entity: ChangedEntity
  readonly id: string
  /** `relabelled` is an update of `name` and `tags` only, on which no decision depends. */
  readonly action: 'created' | 'updated' | 'relabelled' | 'deleted' | Report
}

/**
 * Entries of the change log that change no record, only for the audit events of its organization: an API account is not used, its new credentials were
 * picked up, the administration of an identity provider was tested.
 */
export const REPORTS = ['unused', 'pickedUp', 'tested'] as const
export type Report = (typeof REPORTS)[number]

export function isReport(action: Change['action']): action is Report {
  return REPORTS.some((report) => report === action)
}

/** A change with details that only the node that made it receives. */
export interface OwnChange extends Change {
  /** The owner of a session that has ended, and what ended it, where an identity provider did. */
  readonly session?: { readonly identityId: string; readonly ipAddress: string; readonly cause?: ProviderCause }
  /** One of many entities that an operation changed at once: its state is not recorded, which would take most of the time. */
  readonly isOneOfMany?: true
  /** The organization of a record of the hosted API. */
  readonly organizationId?: string
  /** The id of the event about this change. Set where there is one. */
  readonly eventId?: string
  /** JSON of a recorded entity before and after; null where it did not exist or is not known. */
  readonly states?: { readonly initial: string | null; readonly final: string | null }
  /** The digests of its secrets before and after. */
  readonly digests?: { readonly initial: Digests; readonly final: Digests }
}

type Digests = Readonly<Record<string, string>>

/** The change as other processes receive it. */
export function withoutDetails({ entity, id, action }: OwnChange): Change {
  return { entity, id, action }
}

/** A message of an identity provider that ended a session. */
export interface ProviderCause {
  readonly cause: RevocationCause
  readonly signerId: string
  readonly signerName: string
}

export type ChangedEntity =
  | 'externalJwtSigners'
  | 'authPolicies'
  | 'identities'
  | 'authenticators'
  | 'passkeys'
  | 'apiSessions'
  | 'organizations'
  | 'identityProviders'
  | 'networks'
  | 'apiAccounts'
  | 'accountJobs'
  | 'enrollments'
  | 'cas'
  | 'oidcKeys'
  | 'revocations'
  /** The id is that of the signer. */
  | 'tokenRevocations'
  | 'scimTokens'
  | 'scimGroups'
  | 'eventSinks'

export type ChangeListener = (changes: readonly Change[] | 'everything') => void

/** Receives the writes of this node only, with their actor. */
export type OwnChangeListener = (changes: readonly OwnChange[], meta: OperationMeta) => void
