import type { MantineColor } from '@mantine/core'
import type { Signer } from '../../api/wire.ts'

export interface KeyHealth {
  readonly label: string
  readonly color: MantineColor
}

const EXPIRING_MS = 30 * 24 * 60 * 60 * 1000

/** The state of a signer's keys; the worst one that applies. */
export function keyHealth({ enabled, keyStatus, certPem, notAfter }: Signer, now: number): KeyHealth {
  if (!enabled) return { label: 'Disabled', color: 'gray' }
  if (!keyStatus) return { label: 'Unknown', color: 'gray' }
  const endsAt = certPem ? Date.parse(notAfter) : Number.POSITIVE_INFINITY
  if (endsAt <= now) return { label: 'Certificate expired', color: 'red' }
  if (keyStatus.source === 'pushed' && keyStatus.stale) return { label: 'Stale', color: 'red' }
  if (keyStatus.keys.length === 0) return { label: keyStatus.lastError ? 'Failing' : 'No keys yet', color: 'red' }
  if (keyStatus.stale) return { label: 'Stale', color: 'orange' }
  if (keyStatus.lastError) return { label: 'Failing', color: 'orange' }
  if (endsAt - now < EXPIRING_MS) return { label: 'Certificate expiring', color: 'orange' }
  if (keyStatus.warnings.length > 0) return { label: 'Warnings', color: 'yellow' }
  return { label: 'Good', color: 'green' }
}
