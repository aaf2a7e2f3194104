import type { MantineColor } from '@mantine/core'
import type { Signer } from '../../api/wire.ts'

export interface KeyHealth {
  readonly word: string
  readonly color: MantineColor
}

const SOON_MS = 30 * 24 * 60 * 60 * 1000

/** How the keys of a signer are, in a word; the worst that is true of them. */
export function keyHealth({ enabled, keyStatus, certPem, notAfter }: Signer, now: number): KeyHealth {
  if (!enabled) return { word: 'Off', color: 'gray' }
  if (!keyStatus) return { word: 'Unknown', color: 'gray' }
  const endsAt = certPem ? Date.parse(notAfter) : Number.POSITIVE_INFINITY
  if (endsAt <= now) return { word: 'Certificate expired', color: 'red' }
  if (keyStatus.keys.length === 0) return { word: keyStatus.lastError ? 'Failing' : 'No keys yet', color: 'red' }
  if (keyStatus.stale) return { word: 'Stale', color: 'orange' }
  if (keyStatus.lastError) return { word: 'Failing', color: 'orange' }
  if (endsAt - now < SOON_MS) return { word: 'Certificate expiring', color: 'orange' }
  if (keyStatus.warnings.length > 0) return { word: 'Warnings', color: 'yellow' }
  return { word: 'Good', color: 'green' }
}
