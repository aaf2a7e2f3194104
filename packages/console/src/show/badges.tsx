import { Badge, type MantineColor } from '@mantine/core'
import type { ReactNode } from 'react'

/** A word in a colour; the word alone says everything. */
export function StateBadge({ color, children }: { readonly color: MantineColor; readonly children: ReactNode }) {
  return (
    <Badge color={color} variant="light" tt="none" radius="sm">
      {children}
    </Badge>
  )
}

export function EnabledBadge({ enabled }: { readonly enabled: boolean }) {
  return <StateBadge color={enabled ? 'green' : 'gray'}>{enabled ? 'Enabled' : 'Disabled'}</StateBadge>
}
