import { writeSync } from 'node:fs'

interface LogOutputOptions {
  readonly maxBytes?: number
  /** Writes some of the bytes, returns how many, and throws EAGAIN instead of waiting. */
  write?(bytes: Buffer): number
  /** Called when all kept lines are written, with the number of lines that were dropped before. */
  onDropped(lines: number): void
}

const STDERR = 2
const MAX_BYTES = 1_048_576
const RETRY_MS = 100
const FLUSH_MS = 1_000
const FLUSH_PAUSE_MS = 10

/**
 * Writes log lines without ever waiting for their reader. Lines that the reader has no room for are kept, up to a number of bytes; further ones
 * are dropped and counted. Lines that cannot be written at all, such as on a full disk, are dropped too.
 */
export class LogOutput {
  readonly #maxBytes: number
  readonly #write: (bytes: Buffer) => number
  readonly #onDropped: (lines: number) => void
  #kept: Buffer[] = []
  #keptBytes = 0
  #dropped = 0
  #retry: NodeJS.Timeout | undefined

  constructor({ maxBytes = MAX_BYTES, write = (bytes) => writeSync(STDERR, bytes), onDropped }: LogOutputOptions) {
    this.#maxBytes = maxBytes
    this.#write = write
    this.#onDropped = onDropped
  }

  write(line: string): void {
    const bytes = Buffer.from(line)
    if (this.#keptBytes + bytes.length > this.#maxBytes) {
      this.#dropped++
      return
    }
    this.#kept.push(bytes)
    this.#keptBytes += bytes.length
    if (this.#retry === undefined) this.#drainOrRetry()
  }

  /** Writes what is kept. Waits for the reader at most a second, and blocks the thread meanwhile: call it when the process ends. */
  flush(): void {
    clearTimeout(this.#retry)
    const deadline = performance.now() + FLUSH_MS
    const pause = new Int32Array(new SharedArrayBuffer(4))
    while (!this.#drain() && performance.now() < deadline) Atomics.wait(pause, 0, 0, FLUSH_PAUSE_MS)
  }

  #drainOrRetry(): void {
    // Cleared first: the report of dropped lines is itself a line.
    this.#retry = undefined
    if (!this.#drain()) this.#retry = setTimeout(() => this.#drainOrRetry(), RETRY_MS).unref()
  }

  /** Returns false when the reader has no room. */
  #drain(): boolean {
    try {
      for (let first = this.#kept[0]; first; first = this.#kept[0]) {
        const written = this.#write(first)
        this.#keptBytes -= written
        if (written === first.length) this.#kept.shift()
        else this.#kept[0] = first.subarray(written)
      }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return false
      this.#dropped += this.#kept.length
      this.#kept = []
      this.#keptBytes = 0
      return true
    }
    this.#reportDropped()
    return true
  }

  #reportDropped(): void {
    const dropped = this.#dropped
    this.#dropped = 0
    if (dropped > 0) this.#onDropped(dropped)
  }
}
