import type { Clock } from '../platform/clock.ts'
import type { Scheduler } from '../platform/scheduler.ts'
import type { OnSignerKeyWarning } from './signer-key-warning.ts'

const DAY_MS = 86_400_000
const LOOK_EVERY_MS = 3_600_000
/** How many days before its end a certificate is reported, the nearest first. */
const DAYS_AHEAD = [0, 1, 7, 30]

interface Watched {
  readonly notAfter: number
  /** The last of `DAYS_AHEAD` that was reported. */
  reported?: number
}

interface CertificateWatchParts {
  readonly clock: Clock
  readonly scheduler: Scheduler
  readonly warn: OnSignerKeyWarning
}

/** Warns when the certificates of signers are about to end: 30 days, 7 days and a day ahead, and at the end. */
export class CertificateWatch {
  readonly #parts: CertificateWatchParts
  readonly #watched = new Map<string, Watched>()
  #cancel = (): void => {}

  constructor(parts: CertificateWatchParts) {
    this.#parts = parts
    this.#lookLater()
  }

  /** Watches the certificate of a signer in place of an earlier one. */
  follow(signerId: string, notAfter: number): void {
    const known = this.#watched.get(signerId)
    const entry = known?.notAfter === notAfter ? known : { notAfter }
    this.#watched.set(signerId, entry)
    this.#look(signerId, entry)
  }

  forget(signerId: string): void {
    this.#watched.delete(signerId)
  }

  stop(): void {
    this.#cancel()
  }

  #lookLater(): void {
    this.#cancel = this.#parts.scheduler.after(LOOK_EVERY_MS, () => {
      for (const [signerId, entry] of this.#watched) this.#look(signerId, entry)
      this.#lookLater()
    })
  }

  #look(signerId: string, entry: Watched): void {
    const { clock, warn } = this.#parts
    const leftMs = entry.notAfter - clock.now()
    const days = DAYS_AHEAD.find((ahead) => leftMs <= ahead * DAY_MS)
    if (days === undefined || days === entry.reported) return
    entry.reported = days
    const end = new Date(entry.notAfter).toISOString()
    const message =
      days === 0 ? `the certificate ended at ${end}: no token verifies` : `the certificate ends at ${end}: replace it`
    warn({ kind: 'certificate-ends', signerId, message })
  }
}
