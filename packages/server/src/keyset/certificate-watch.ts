import type { Clock } from '../platform/clock.ts'
import type { Scheduler } from '../platform/scheduler.ts'
import type { OnSignerKeyWarning } from './signer-key-warning.ts'

const DAY_MS = 86_400_000
const CHECK_EVERY_MS = 3_600_000
/** Days before its expiry at which a certificate is reported, ascending. */
const DAYS_AHEAD = [0, 1, 7, 30]

interface Watched {
  readonly notAfter: number
  /** The last entry of `DAYS_AHEAD` that was reported. */
  reported?: number
}

interface CertificateWatchParts {
  readonly clock: Clock
  readonly scheduler: Scheduler
  readonly warn: OnSignerKeyWarning
}

/** Warns before the certificates of signers expire: 30 days, 7 days and one day before, and at the expiry. */
export class CertificateWatch {
  readonly #parts: CertificateWatchParts
  readonly #watched = new Map<string, Watched>()
  #cancel = (): void => {}

  constructor(parts: CertificateWatchParts) {
    this.#parts = parts
    this.#scheduleCheck()
  }

  /** Watches the certificate of a signer, replacing an earlier one. */
  watch(signerId: string, notAfter: number): void {
    const known = this.#watched.get(signerId)
    const entry = known?.notAfter === notAfter ? known : { notAfter }
    this.#watched.set(signerId, entry)
    this.#check(signerId, entry)
  }

  unwatch(signerId: string): void {
    this.#watched.delete(signerId)
  }

  stop(): void {
    this.#cancel()
  }

  #scheduleCheck(): void {
    this.#cancel = this.#parts.scheduler.after(CHECK_EVERY_MS, () => {
      for (const [signerId, entry] of this.#watched) this.#check(signerId, entry)
      this.#scheduleCheck()
    })
  }

  #check(signerId: string, entry: Watched): void {
    const { clock, warn } = this.#parts
    const leftMs = entry.notAfter - clock.now()
    const days = DAYS_AHEAD.find((ahead) => leftMs <= ahead * DAY_MS)
    if (days === undefined || days === entry.reported) return
    entry.reported = days
    const end = new Date(entry.notAfter).toISOString()
    const message =
      days === 0
        ? `the certificate expired at ${end}, so all tokens are refused`
        : `the certificate expires at ${end}: replace it`
    warn({ kind: 'certificate-ends', signerId, message })
  }
}
