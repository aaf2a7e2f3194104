/** Why a stream ends, other than by its reader going away. */
export type StreamEnd = 'not-admitted' | 'too-slow' | 'stopping'

/** Where the text of a stream of server-sent events comes from. The pipeline asks for it when the reader has room. */
export interface EventStreamSource {
  /** What to send next, empty when there is nothing for now. */
  read(): string
  /** The reader was so slow that he missed something, and what he gets would have a hole. */
  readonly isTooSlow: boolean
  /** Calls back, once, when there is more to read. Answers how to call that off. */
  wake(listener: () => void): () => void
  /** The last words of a stream that ends for this reason. */
  farewell(reason: StreamEnd): string
  /** Nobody reads it any more. */
  close?(): void
}
