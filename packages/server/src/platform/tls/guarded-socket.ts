import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'
import type { HandshakeGuard } from './handshake-guard.ts'
import { RefusedCertificates } from './handshake-messages.ts'

const NOTHING = Buffer.alloc(0)

/** A connection whose bytes a guard has checked. TLS runs on it as on the connection itself. */
export class GuardedSocket extends Duplex {
  readonly #socket: Socket
  readonly #guard: HandshakeGuard
  readonly #onRefused: (error: RefusedCertificates) => void

  /** Calls `onRefused` before the connection is closed for the peer's certificates. */
  constructor(socket: Socket, guard: HandshakeGuard, onRefused: (error: RefusedCertificates) => void = () => {}) {
    super()
    this.#socket = socket
    this.#guard = guard
    this.#onRefused = onRefused
    socket.on('data', (bytes: Buffer) => this.#receive(bytes))
    socket.on('end', () => this.push(null))
    socket.on('error', (error) => this.destroy(error))
    socket.on('close', () => this.destroy())
  }

  /** Notes a line of the key log of the TLS that runs on this. */
  noteSecret(line: Buffer): void {
    if (this.#guard.isOpen) return
    this.#guard.noteSecret(line.toString('latin1'))
    this.#receiveLater()
  }

  /** Notes that the TLS that runs on this has ended its handshake. */
  noteEnd(): void {
    this.#guard.noteEnd()
    this.#receiveLater()
  }

  override _read(): void {
    if (!this.#guard.isWaiting) this.#socket.resume()
  }

  // Writes skip this stream's own queue, which would only hold what the connection's queue holds as well.
  override write(chunk: Uint8Array, ...rest: never[]): boolean {
    return this.#socket.write(chunk, ...rest)
  }

  override cork(): void {
    this.#socket.cork()
  }

  override uncork(): void {
    this.#socket.uncork()
  }

  override _final(callback: () => void): void {
    this.#socket.end(callback)
  }

  override _destroy(error: Error | null, callback: (error: Error | null) => void): void {
    this.#socket.destroy()
    callback(error)
  }

  /** What waits is received later: OpenSSL is at work on earlier bytes now. */
  #receiveLater(): void {
    process.nextTick(() => this.#receive(NOTHING))
  }

  #receive(bytes: Buffer): void {
    if (this.destroyed) return
    const released = this.#check(bytes)
    const isFull = released.length > 0 && !this.push(released)
    if (isFull || this.#guard.isWaiting) this.#socket.pause()
  }

  #check(bytes: Buffer): Buffer {
    try {
      return this.#guard.receive(bytes)
    } catch (error) {
      if (!(error instanceof RefusedCertificates)) throw error
      this.#onRefused(error)
      this.destroy(error)
      return NOTHING
    }
  }
}
