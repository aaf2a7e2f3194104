import { Badge, type MantineColor } from '@mantine/core'
import type { ReactNode } from 'react'
import type { StreamState } from '../api/event-stream.ts'

/** A coloured label. Its text must be enough without the colour. */
export function StateBadge({ color, children }: { readonly color: MantineColor; readonly children: ReactNode }) {
  return (
    <Badge color={color} variant="light" tt="none" radius="sm" miw="max-content">
      {children}
    </Badge>
  )
}

export function EnabledBadge({ enabled }: { readonly enabled: boolean }) {
  return <StateBadge color={enabled ? 'green' : 'gray'}>{enabled ? 'Enabled' : 'Disabled'}</StateBadge>
}

/** The state of an identity: its access can have been disabled, or have ended at its `expiresAt`. */
export function AccessBadge({
  disabled,
  expiresAt,
}: {
  readonly disabled: boolean
  readonly expiresAt: string | null
}) {
  if (!disabled && isPast(expiresAt)) return <StateBadge color="orange">Expired</StateBadge>
  return <EnabledBadge enabled={!disabled} />
}

const isPast = (at: string | null): boolean => at !== null && Date.parse(at) <= Date.now()

const STREAM_LABELS: Readonly<Record<StreamState, readonly [label: string, color: MantineColor]>> = {
  open: ['Live', 'green'],
  connecting: ['Connecting', 'orange'],
  refused: ['Not allowed', 'gray'],
}

/** The state of the event stream. */
export function StreamBadge({ state }: { readonly state: StreamState }) {
  const [label, color] = STREAM_LABELS[state]
  return <StateBadge color={color}>{label}</StateBadge>
}
