import type { Clock } from '../platform/clock.ts'
import type { Scheduler } from '../platform/scheduler.ts'
import type { OnSignerKeyWarning } from './signer-key-warning.ts'

const DAY_MS = 86_400_000
const LOOK_EVERY_MS = 3_600_000
/** How many days before its end an administrator hears of it, the nearest first. */
const DAYS_AHEAD = [0, 1, 7, 30]

interface Watched {
  readonly notAfter: number
  told?: number
}

export interface CertificateWatch {
  follow(signerId: string, notAfter: number): void
  forget(signerId: string): void
  stop(): void
}

/** Tells when the certificates of signers are about to end: 30 days, 7 days and a day ahead, and at the end. */
export function startCertificateWatch(
  { clock, scheduler }: { clock: Clock; scheduler: Scheduler },
  warn: OnSignerKeyWarning,
): CertificateWatch {
  const watched = new Map<string, Watched>()

  const look = (signerId: string, entry: Watched): void => {
    const leftMs = entry.notAfter - clock.now()
    const days = DAYS_AHEAD.find((ahead) => leftMs <= ahead * DAY_MS)
    if (days === undefined || days === entry.told) return
    entry.told = days
    const end = new Date(entry.notAfter).toISOString()
    const message =
      days === 0 ? `the certificate ended at ${end}: no token verifies` : `the certificate ends at ${end}: replace it`
    warn({ kind: 'certificate-ends', signerId, message })
  }

  let cancel = (): void => {}
  const lookLater = (): void => {
    cancel = scheduler.after(LOOK_EVERY_MS, () => {
      for (const [signerId, entry] of watched) look(signerId, entry)
      lookLater()
    })
  }
  lookLater()

  return {
    follow: (signerId, notAfter) => {
      const known = watched.get(signerId)
      const entry = known?.notAfter === notAfter ? known : { notAfter }
      watched.set(signerId, entry)
      look(signerId, entry)
    },
    forget: (signerId) => void watched.delete(signerId),
    stop: () => cancel(),
  }
}
