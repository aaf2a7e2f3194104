/** Why the controller ends a stream. */
export type StreamEnd = 'not-authorized' | 'too-slow' | 'stopping'

/** The source of a stream of server-sent events. The pipeline reads it as fast as the client does. */
export interface EventStreamSource {
  /** The next text to send, '' when there is none yet. */
  read(): string
  /** The client has missed events because it read too slowly. */
  readonly isTooSlow: boolean
  /** Calls `listener` once, when there is more to read. Returns a function that cancels it. */
  wake(listener: () => void): () => void
  /** The last text of a stream that ends for this reason. */
  endNotice(reason: StreamEnd): string
  /** Called when the stream has ended. */
  close?(): void
}
