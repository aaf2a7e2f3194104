import type { Members } from '@countersign/contract/resource'
import { Tooltip } from '@mantine/core'
import type { ReactNode } from 'react'
import { describeMember } from './describe-member.ts'
import { TOOLTIP_EVENTS } from './tooltip-events.ts'

interface FieldLabelProps {
  /** The members of the resource. */
  readonly members: Members
  /** The member's name in the API; a member within it follows after a dot. */
  readonly name: string
  readonly children: ReactNode
}

/** A label whose tooltip has the name of the member in the API, and its meaning. */
export function FieldLabel({ members, name, children }: FieldLabelProps) {
  return (
    <Tooltip
      label={describeMember(members, name)}
      multiline
      maw={340}
      events={TOOLTIP_EVENTS}
      openDelay={200}
      position="top-start"
    >
      <span data-api-name={name}>{children}</span>
    </Tooltip>
  )
}
