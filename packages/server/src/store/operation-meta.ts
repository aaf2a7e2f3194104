import type { Clock } from '../platform/clock.ts'
import type { ActorCredential } from './actor-credential.ts'
import type { KeptLogin } from './kept-login.ts'

/** The actor and time of an operation. `actorId` is `system` for the controller itself. */
export interface OperationMeta {
  readonly actorId: string
  /** Required of every actor but the controller itself, except by operations with the access `none`. */
  readonly credential?: ActorCredential
  /** Of a caller of the hosted API. Its writes take turns with those of other organizations, and `now` becomes the time of the turn. */
  readonly organizationId?: string
  /** Of a SCIM request: the signer, whose writes take turns. `now` becomes the time of the turn. */
  readonly signerId?: string
  /** Whether a SCIM request can write thousands of rows, of which each signer has one at a time, or a change can take long, of which one runs at a time. */
  readonly isLarge?: boolean
  /** The name under which the operation takes its turn, and the size of what it records is counted, where that is not its actor. */
  readonly countedAs?: string | undefined
  readonly now: number
  /** The node that runs the operation, for the record of what happened. */
  readonly node?: string
  /** The lines of the events that are recorded with the operation, in its transaction. */
  readonly events?: string | undefined
  /** When set, `now` becomes its time when the operation begins, after it has waited in a queue of the store. */
  readonly clock?: Clock
  /** The `If-Match` header: the current version must be in it. Any version passes when absent. */
  readonly ifMatch?: string
  /** Whether the caller wants the change although no administrator could log in afterwards. */
  readonly confirmsLockOut?: boolean
  /** The last logins of administrators. Absent until an operation has asked for them by WOULD_LOCK_OUT. */
  readonly administratorLogins?: readonly KeptLogin[]
  /** The request behind the operation, for the change log and events. */
  readonly source?: OperationSource
}

/** The connection of a request, for the change log and events. */
export interface RequestSource {
  readonly method: string
  readonly localAddr: string
  readonly remoteAddr: string
  readonly requestId?: string
}

export interface OperationSource extends RequestSource {
  readonly authorName: string
}
