/** Why something could not be fetched. Which port is closed, filtered or shielded is not told: we are no port scanner. */
export type OutboundReason =
  | 'endpoint-refused'
  | 'address-refused'
  | 'name-not-resolved'
  | 'unreachable'
  | 'tls'
  | 'timeout'
  | 'protocol'
  | 'redirect'
  | 'status'
  | 'encoding'
  | 'media-type'
  | 'too-large'
  | 'content'
  | 'stopped'

/**
 * A fetch that failed. The message is for administrators: it names the HTTP status where there was one, and the setting
 * that would allow what was refused; it never quotes what the other side sent.
 */
export class OutboundError extends Error {
  override readonly name = 'OutboundError'
  readonly reason: OutboundReason
  /** The HTTP status, where there was an answer. */
  readonly status: number | undefined

  constructor(reason: OutboundReason, message: string, options: { status?: number; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.reason = reason
    this.status = options.status
  }
}
