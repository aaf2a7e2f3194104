import { Button, Group, TextInput } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { controller } from '../../api/client.ts'
import { searchFilter } from '../../api/search-filter.ts'
import type { Decision } from '../../api/wire.ts'
import { ListPage } from '../../list/list-page.tsx'
import { StateBadge } from '../../show/badges.tsx'
import { methodLabel } from '../../show/describe-event.ts'
import { Instant } from '../../show/instant.tsx'
import { PageLink } from '../../show/links.tsx'

export function DecisionsPage() {
  return (
    <ListPage<Decision>
      title="Decisions"
      description="Refused logins and enrollments of the last 24 hours. The id is the requestId of the response."
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
        { label: 'Reason', sort: 'reason', cell: ({ reason }) => <StateBadge color="red">{reason}</StateBadge> },
        { label: 'Time', sort: 'at', from: 'sm', cell: ({ at }) => <Instant at={at} /> },
        { label: 'Method', sort: 'method', from: 'md', cell: ({ method }) => methodLabel(method) },
        { label: 'Address', sort: 'remoteAddress', from: 'md', cell: ({ remoteAddress }) => remoteAddress },
      ]}
      defaultSort="at desc"
      searchLabel="Search reason, method or address"
      emptyText="No refusals in the last 24 hours."
      filters={<LookUp />}
      refetchMs={15_000}
    />
  )
}

function LookUp() {
  const navigate = useNavigate()
  const [id, setId] = useState('')
  const lookUp = (event: FormEvent) => {
    event.preventDefault()
    if (id.trim() !== '') void navigate({ to: '/decisions/$id', params: { id: id.trim() } })
  }
  return (
    <Group component="form" align="end" gap="xs" onSubmit={lookUp}>
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
