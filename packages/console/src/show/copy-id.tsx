import { ActionIcon, CopyButton, Group, Tooltip } from '@mantine/core'
import type { ReactNode } from 'react'

interface CopyIdProps {
  readonly id: string
  /** What the id is of, for screen readers. */
  readonly of: string
  /** Shown before the button; by default the id. */
  readonly children?: ReactNode
}

const COPIED_MS = 1_500

/** A button that copies an id. */
export function CopyId({ id, of, children }: CopyIdProps) {
  return (
    <Group gap={4} wrap="nowrap" component="span" display="inline-flex">
      <span className="breakable">{children ?? id}</span>
      <CopyButton value={id} timeout={COPIED_MS}>
        {({ copied, copy }) => (
          <Tooltip label={copied ? 'Copied' : `Copy ${id}`} withinPortal>
            <ActionIcon
              variant="subtle"
              color={copied ? 'green' : 'gray'}
              size="sm"
              onClick={copy}
              aria-label={copied ? `The id of ${of} is copied` : `Copy the id of ${of}`}
            >
              {copied ? <Tick /> : <Sheets />}
            </ActionIcon>
          </Tooltip>
        )}
      </CopyButton>
    </Group>
  )
}

const ICON = {
  width: 14,
  height: 14,
  viewBox: '0 0 24 24',
  fill: 'none',
  stroke: 'currentColor',
  strokeWidth: 2,
  'aria-hidden': true,
} as const

function Sheets() {
  return (
    <svg {...ICON}>
      <title>Copy</title>
      <rect x="9" y="9" width="12" height="12" rx="2" />
      <path d="M5 15H4a2 2 0 0 1-2-2V4a2 2 0 0 1 2-2h9a2 2 0 0 1 2 2v1" />
    </svg>
  )
}

function Tick() {
  return (
    <svg {...ICON}>
      <title>Copied</title>
      <path d="M4 12l6 6L20 6" />
    </svg>
  )
}
