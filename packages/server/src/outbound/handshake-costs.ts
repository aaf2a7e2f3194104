import { createLruCache, handshakeCharge, TokenBuckets } from '@countersign/core'
import { OutboundError } from './outbound-error.ts'

/** A server, and in whose name it is called. */
export interface Callee {
  readonly owner: string | undefined
  readonly host: string
}

interface Refusal {
  readonly message: string
  readonly untilMs: number
}

const KIB = 1024
/** The longest chains in use, several times. */
const MAX_HANDSHAKE_BYTES = 32 * KIB
/** A handshake that fails after more than this may have been made to be slow. */
const MAX_FAILED_BYTES = 8 * KIB
const REFUSED_MS = 600_000
const MAX_REFUSALS = 1_000
/** Of one owner: a hundred and fifty handshakes of the usual size, then more than one a second, which is 5 % of a processor at worst. */
const BYTES_OF_OWNER = {
  burst: 1024 * KIB,
  perSecond: 8 * KIB,
  /** More than a handshake can cost, so that all of it is paid. */
  debt: 1024 * KIB,
}
const OWNER_SLOTS = 4_096

/**
 * Limits the processor time that certificates of servers cost. OpenSSL checks a chain before the process sees it: 100 KiB
 * of certificates, made to be slow, take 3.4 s.
 */
export class HandshakeCosts {
  readonly #elapsedMs: () => number
  readonly #refusals = createLruCache<string, Refusal>(MAX_REFUSALS)
  readonly #bytes = new TokenBuckets(BYTES_OF_OWNER, OWNER_SLOTS)

  constructor(elapsedMs: () => number) {
    this.#elapsedMs = elapsedMs
  }

  /** @throws {OutboundError} `tls`, for ten minutes after an expensive handshake, and over the limit of the owner */
  check(callee: Callee): void {
    const now = this.#elapsedMs()
    const refusal = this.#refusals.peek(nameOf(callee))
    if (refusal && now < refusal.untilMs) throw refused(refusal.message, refusal.untilMs - now)
    const waitMs = this.#bytes.waitFor(ownerOf(callee), 1, now)
    if (waitMs > 0) throw refused('too many certificates were received', waitMs)
  }

  /**
   * Charges a handshake to its owner. Without a `failure` it succeeded.
   * @throws {OutboundError} `tls`, when it was too large
   */
  note(callee: Callee, bytes: number, failure?: Error): void {
    const now = this.#elapsedMs()
    this.#bytes.spend(ownerOf(callee), handshakeCharge(bytes), now)
    const isTooLarge = bytes > MAX_HANDSHAKE_BYTES
    if (!isTooLarge && (!failure || bytes <= MAX_FAILED_BYTES)) return
    const message = isTooLarge
      ? `TLS with ${callee.host} failed: the server's certificate chain is too long`
      : (failure?.message ?? '')
    this.#refusals.set(nameOf(callee), { message, untilMs: now + REFUSED_MS })
    if (isTooLarge) throw new OutboundError('tls', message, { cause: failure })
  }
}

function refused(message: string, waitMs: number): OutboundError {
  return new OutboundError('tls', `${message}; not tried again for ${Math.ceil(waitMs / 1000)} s`)
}

function ownerOf({ owner, host }: Callee): string {
  return owner ?? host
}

function nameOf({ owner = '', host }: Callee): string {
  return `${owner} ${host}`
}
