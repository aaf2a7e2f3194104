import type { Clock } from '../platform/clock.ts'
import type { Scheduler } from '../platform/scheduler.ts'
import type { OnSignerKeyWarning } from './signer-key-warning.ts'

const DAY_MS = 86_400_000
const CHECK_EVERY_MS = 3_600_000
/** Days before its expiry at which a certificate is reported, ascending. */
const DAYS_AHEAD = [0, 1, 7, 30]

interface Watched {
  readonly signerId: string
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
  /** By signer and fingerprint. */
  readonly #watched = new Map<string, Map<string, Watched>>()
  #cancel = (): void => {}

  constructor(parts: CertificateWatchParts) {
    this.#parts = parts
    this.#scheduleCheck()
  }

  /** Watches the certificates of a signer, replacing earlier ones. `ends` has their expiry by fingerprint. */
  watch(signerId: string, ends: ReadonlyMap<string, number>): void {
    const known = this.#watched.get(signerId)
    const entries = [...ends].map(([fingerprint, notAfter]) => {
      return [fingerprint, known?.get(fingerprint) ?? { signerId, notAfter }] as const
    })
    this.#watched.set(signerId, new Map(entries))
    for (const [fingerprint, entry] of entries) this.#check(fingerprint, entry)
  }

  unwatch(signerId: string): void {
    this.#watched.delete(signerId)
  }

  stop(): void {
    this.#cancel()
  }

  #scheduleCheck(): void {
    this.#cancel = this.#parts.scheduler.after(CHECK_EVERY_MS, () => {
      for (const entries of this.#watched.values()) {
        for (const [fingerprint, entry] of entries) this.#check(fingerprint, entry)
      }
      this.#scheduleCheck()
    })
  }

  #check(fingerprint: string, entry: Watched): void {
    const { clock, warn } = this.#parts
    const { signerId } = entry
    const leftMs = entry.notAfter - clock.now()
    const days = DAYS_AHEAD.find((ahead) => leftMs <= ahead * DAY_MS)
    if (days === undefined || days === entry.reported) return
    entry.reported = days
    const end = new Date(entry.notAfter).toISOString()
    const isOne = (this.#watched.get(signerId)?.size ?? 0) > 1
    const which = isOne ? `the certificate ${fingerprint}` : 'the certificate'
    const message =
      days === 0
        ? `${which} expired at ${end}, so all ${isOne ? 'its ' : ''}tokens are refused`
        : `${which} expires at ${end}: replace it`
    warn({ kind: 'certificate-ends', signerId, message })
  }
}
