/** For whom an operation runs and when. `actorId` is `system` for the controller itself. */
export interface OperationMeta {
  readonly actorId: string
  readonly now: number
  /** `If-Match`: one of these versions must be the present one; any will do when absent. */
  readonly ifMatch?: string
  /** The request that asked for it, for the record. */
  readonly source?: OperationSource
}

/** The connection by which a request came, for events and the record. */
export interface RequestSource {
  /** The HTTP method. */
  readonly method: string
  readonly localAddr: string
  readonly remoteAddr: string
}

export interface OperationSource extends RequestSource {
  readonly authorName: string
}
