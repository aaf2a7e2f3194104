/** Why a fetch failed. Does not distinguish closed from filtered ports: the controller must not serve as a port scanner. */
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

interface OutboundErrorOptions {
  readonly status?: number
  readonly cause?: unknown
  /** In place of the message for callers who are not administrators. */
  readonly tenantMessage?: string
}

/**
 * A failed fetch. The message is for administrators: it contains the HTTP status, if any, and the setting that allows what was refused. It
 * never quotes what the server sent. `tenantMessage` is for accounts of organizations: it does not contain to which address a name resolves.
 */
export class OutboundError extends Error {
  override readonly name = 'OutboundError'
  readonly reason: OutboundReason
  /** The HTTP status, if there was a response. */
  readonly status: number | undefined
  readonly tenantMessage: string

  constructor(reason: OutboundReason, message: string, options: OutboundErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.reason = reason
    this.status = options.status
    this.tenantMessage = options.tenantMessage ?? message
  }
}
