import { Button, Group, TextInput } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { controller } from '../../api/client.ts'
import { searchFilter } from '../../api/search-filter.ts'
import type { Decision } from '../../api/wire.ts'
import { ListPage } from '../../list/list-page.tsx'
import { StateBadge } from '../../show/badges.tsx'
import { wayOf } from '../../show/describe-event.ts'
import { Instant } from '../../show/instant.tsx'
import { PageLink } from '../../show/links.tsx'

/** Refused sign-ins of the last day, and one by its request id. */
export function DecisionsPage() {
  return (
    <ListPage<Decision>
      title="Decisions"
      description="Why was I refused? Every refused sign-in of the last 24 hours, by the request id of its answer."
      queryKey={['decisions']}
      load={({ text, ...query }) =>
        controller.authDecisions.page({ ...query, filter: searchFilter(['reason', 'method', 'remoteAddress'], text) })
      }
      columns={[
        {
          label: 'Request',
          cell: ({ id }) => (
            <PageLink to="/decisions/$id" params={{ id }}>
              {id}
            </PageLink>
          ),
        },
        { label: 'Why', sort: 'reason', cell: ({ reason }) => <StateBadge color="red">{reason}</StateBadge> },
        { label: 'When', sort: 'at', from: 'sm', cell: ({ at }) => <Instant at={at} /> },
        { label: 'Way', sort: 'method', from: 'md', cell: ({ method }) => wayOf(method) },
        { label: 'From', sort: 'remoteAddress', from: 'md', cell: ({ remoteAddress }) => remoteAddress },
      ]}
      defaultSort="at desc"
      searchLabel="Search reason, way or address"
      emptyText="Nobody was refused in the last 24 hours."
      filters={<LookUp />}
      refetchMs={15_000}
    />
  )
}

function LookUp() {
  const navigate = useNavigate()
  const [id, setId] = useState('')
  const look = (event: FormEvent) => {
    event.preventDefault()
    if (id.trim() !== '') void navigate({ to: '/decisions/$id', params: { id: id.trim() } })
  }
  return (
    <Group component="form" align="end" gap="xs" onSubmit={look}>
      <TextInput
        label="Request id"
        value={id}
        maxLength={64}
        onChange={({ currentTarget }) => setId(currentTarget.value)}
      />
      <Button type="submit" variant="default">
        Look up
      </Button>
    </Group>
  )
}
