import { Badge, type MantineColor } from '@mantine/core'
import type { ReactNode } from 'react'
import type { StreamState } from '../api/event-stream.ts'

/** A word in a colour; the word alone says everything. */
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

const STREAM_WORDS: Readonly<Record<StreamState, readonly [word: string, color: MantineColor]>> = {
  open: ['Live', 'green'],
  connecting: ['Connecting', 'orange'],
  refused: ['Not allowed', 'gray'],
}

/** Whether events come as they happen. */
export function StreamBadge({ state }: { readonly state: StreamState }) {
  const [word, color] = STREAM_WORDS[state]
  return <StateBadge color={color}>{word}</StateBadge>
}
